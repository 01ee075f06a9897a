"""Errors of requests, as the protocol shows them.

    ApiError("temperature takes a number from 0 to 2, got -1", param="temperature")
        =>  400 {"error": {"message": ..., "type": "invalid_request_error", ...}}
"""

from typing import Any

INVALID = "invalid_request_error"


class ApiError(Exception):
    """A request that cannot be answered; message is for the person who sent it."""

    def __init__(
        self, message: str, *, status: int = 400, param: str | None = None,
        code: str | None = None, type_: str = INVALID,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.param = param
        self.code = code
        self.type = type_

    def body(self) -> dict[str, Any]:
        """What the client receives."""
        return {"error": {
            "message": self.message, "type": self.type, "param": self.param, "code": self.code,
        }}


def too_busy(limit: int) -> ApiError:
    return ApiError(
        f"{limit} requests are waiting already; try again later",
        status=429, code="rate_limit_exceeded", type_="rate_limit_error",
    )


def busy(seconds: float) -> ApiError:
    """The fault of a request that waited for others until its time was over."""
    return ApiError(
        f"the request waited for others for {seconds:g} seconds; try again later",
        status=503, code="busy", type_="server_error",
    )


def loading() -> ApiError:
    return ApiError("the models are being loaded; try again later", status=503, code="loading",
                    type_="server_error")


def stopping() -> ApiError:
    return ApiError("the server is stopping", status=503, code="unavailable", type_="server_error")


def failed(message: str) -> ApiError:
    """The fault of a request whose generation failed."""
    return ApiError(message, status=500, code="generation_failed", type_="server_error")
