"""Row 1: the op record, dispatch, tensors, the tape's nodes, and the Program."""
