/**
 * The signal that `withApproval` waits for. Its argument is the `externalId` of the call. Workflow
 * code and callback code share this file, so it imports nothing.
 */
export const decidedSignal = 'countersignDecided'
