/**
 * The signal that wakes a workflow which waits in `withApproval`. Its argument is the name of the
 * call. Workflows and callbacks share it, so this file imports nothing.
 */
export const decidedSignal = 'countersignDecided'
