import type { Duty, Exemptions } from './verbs.ts'

const nobodyYet = 'who calls is what it finds out'
const performed =
  'an activity performs it, with what was signed when the run was started or its request decided'
const timed = 'nobody calls it: a deadline or the reconciler does, and the row decides'
const inPlace = 'judged in place, since it depends on the row that is locked or read'
const bookkeeping = 'no state that anybody is answerable for'

function excuse(duty: Duty, reason: string, verbs: readonly string[]): Exemptions {
  return Object.fromEntries(verbs.map((verb) => [verb, { [duty]: reason }]))
}

/**
 * Why some verbs are not told who calls, do not authorise or leave no trace. A verb that somebody
 * calls (through the API or the command line) belongs here only with `inPlace`, after a review.
 */
export const exemptions: Exemptions = {
  ...excuse('caller', nobodyYet, [
    'refuseSignIn',
    'signInForDevelopment',
    'switchPerson',
    'consumeSignInLink',
    'signInWithProvider',
    'signInWithPasskey',
    'createMailedLink',
  ]),
  ...excuse('caller', performed, [
    'askAfresh',
    'askDependentsAfresh',
    'claimExecution',
    'closeRun',
    'enterManualResult',
    'executeCall',
    'finishExecution',
    'openTurn',
    'performClaimed',
    'settleUnknown',
    'storeTurn',
    'takeTurn',
    'undoClaim',
    'whereCallStands',
  ]),
  ...excuse('caller', 'a Temporal worker does it for itself, before it takes work', [
    'lookAfterLostCommands',
  ]),
  // Who started the run is verified in place: the claim of its parent's call.
  ...excuse('caller', 'the relay performs it, for the claim of a call', ['admitRun']),
  ...excuse('caller', timed, [
    'advanceExternal',
    'advanceRequests',
    'clearTranscript',
    'expireRequest',
    'loseRun',
    'noteSigningKey',
    'noteStalls',
    'pinDefinitions',
    'retireSigningKeys',
  ]),
  // The right activatePolicy in the API's route; whoever is on the host needs none.
  ...excuse('authorise', inPlace, ['createSignInLink']),
  ...excuse('caller', 'whoever may run doctor on the host repairs', ['raiseEpoch']),
  ...excuse('caller', 'a process of the API records itself', ['recordProcess']),
  // The caller's own session, named by its token.
  ...excuse('authorise', inPlace, ['endSession']),
  // The caller's own passkeys: registered for the person who calls, renamed only by their owner.
  ...excuse('authorise', inPlace, ['registerCredential', 'renameCredential']),
  // The right readAudit, or the scope audit:read.
  ...excuse('authorise', inPlace, ['exportAudit', 'exportBundle', 'exportLog', 'recordReading']),
  // What the caller may not see is not found.
  ...excuse('authorise', inPlace, ['requestContent', 'revealRunSecret', 'revealSecret']),
  // The giver, the starter, or the right manageRuns, under the grant's lock.
  ...excuse('authorise', inPlace, ['revokeGrant']),
  // The worker's startableBy, and the right startApproveAll for that mode.
  ...excuse('authorise', inPlace, ['startRun']),
  // Only the service itself: people agree with the right activatePolicy (agreeToPolicy).
  ...excuse('authorise', inPlace, ['activatePolicy']),
  ...excuse('authorise', 'it records a refusal, whoever was refused', [
    'auditingRefusals',
    'rejectPolicy',
  ]),
  // Rows of a turn, which is audited when it opens; what a server says by now, which the call that asks records; what
  // a command that runs has printed so far, which its result replaces.
  ...Object.fromEntries(
    ['askModel', 'noteChange', 'prepareTurn', 'recordOutput'].map((verb) => [
      verb,
      { caller: performed, audit: bookkeeping },
    ]),
  ),
  // Hashes that are forgotten in ten minutes; how it ends is recorded.
  beginProviderSignIn: { caller: nobodyYet, audit: bookkeeping },
  takeFlow: { caller: nobodyYet, audit: bookkeeping },
  // Slack says who presses a button, under its signature; a code is confirmed by the person who is signed in.
  offerSlackLink: { caller: nobodyYet, audit: bookkeeping },
  hearOnce: { caller: nobodyYet, audit: bookkeeping },
  refuseSlackUser: { caller: nobodyYet },
  // The caller's own link: the code was shown to them in Slack, and their address is compared in place.
  confirmSlackLink: { authorise: inPlace },
  removeSlackLink: { authorise: inPlace },
  // What the caller alone is mailed, of what they may see anyway.
  chooseMail: { authorise: inPlace, audit: bookkeeping },
  readApiKey: { caller: nobodyYet, audit: bookkeeping },
  readSession: { caller: nobodyYet, audit: bookkeeping },
  inUnitOfWork: { caller: 'the transaction of every verb', audit: 'what is audited is the verb' },
}
