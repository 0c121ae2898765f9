"""The 3D view: scene, camera, picking, and pictures of a mechanism without a window."""
