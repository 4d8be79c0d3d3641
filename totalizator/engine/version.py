"""The version that a manifest names."""

ENGINE_VERSION = "1.0.0"
