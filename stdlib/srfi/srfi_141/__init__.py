"""SRFIs, a file each."""
