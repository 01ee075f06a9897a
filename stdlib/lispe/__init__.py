"""The procedures of LispE and of its extension LispETorch; programs ask for them with `use`."""
