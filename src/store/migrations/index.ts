import type { Migration } from 'kysely/migration'
import * as gitWorktrees from './20261126T0100Z-git-worktrees.ts'
import * as baseline from './20261125T060000Z-baseline.ts'
import * as deployments from './20261126T170000Z-pr-deployments.ts'
import * as savedViews from './20261126T133500Z-ib-saved-views.ts'
import * as policyChanges from './20261126T193000Z-pg-policy-changes.ts'
import * as commentEdits from './20261126T173000Z-ib-comment-edits.ts'
import * as grantsOfRequest from './20261126T095500Z-in-grants-of-request.ts'
import * as seals from './20261126T180000Z-at-seals.ts'
import * as owners from './20261126T190000Z-st-owners.ts'
import * as messageFiles from './20261126T193000Z-hu-message-files.ts'
import * as signInChanges from './20261126T201000Z-sign-in-changes.ts'
import * as triggerPauses from './20261126T210500Z-tp-trigger-pauses.ts'
import * as carriedOut from './20261127T000500Z-bk-carried-out.ts'
import * as usage from './20261127T011000Z-us-usage.ts'
import * as pendingOfOwner from './20261127T012500Z-po-pending-of-owner.ts'
import * as accountIds from './20261127T040500Z-do-account-ids.ts'
import * as otherIds from './20261127T042000Z-do-other-ids.ts'
import * as membershipIds from './20261127T043500Z-do-membership-ids.ts'
import * as moreChanges from './20261127T073000Z-fi-more-changes.ts'
import * as goneEndpoints from './20261127T214500Z-wh-gone-endpoints.ts'
import * as deliverySeals from './20261128T010000Z-at-delivery-seals.ts'
import * as scheduleWatch from './20261128T010000Z-sc-schedule-watch.ts'
import * as fewerIndexEntries from './20261130T040000Z-co-fewer-index-entries.ts'
import * as actorsWithId from './20261130T120000Z-co-actors-with-id.ts'
import * as fewerTriggerCalls from './20261130T123000Z-co-fewer-trigger-calls.ts'
import * as hookUses from './20261130T203000Z-hk-hook-uses.ts'
import * as flowSeals from './20261201T000000Z-si-flow-seals.ts'
import * as requestsWithoutRun from './20261201T163000Z-gw-requests-without-run.ts'
import * as hookCalls from './20261126T094500Z-hk-hook-calls.ts'

/** The name of the first one, which creates the schema of the first release. */
export const baselineName = '20261125T060000Z-baseline'

/**
 * Every migration, in the order of its name, which is the key that Kysely records. A new migration
 * is a file `<UTC timestamp>-<what>.ts` in this folder, with an entry at the end of this list. The
 * baseline and released migrations never change.
 */
export const migrations: Record<string, Migration> = {
  [baselineName]: baseline,
  '20261126T095500Z-in-grants-of-request': grantsOfRequest,
  '20261126T0100Z-git-worktrees': gitWorktrees,
  '20261126T094500Z-hk-hook-calls': hookCalls,
  '20261126T133500Z-ib-saved-views': savedViews,
  '20261126T170000Z-pr-deployments': deployments,
  '20261126T173000Z-ib-comment-edits': commentEdits,
  '20261126T180000Z-at-seals': seals,
  '20261126T190000Z-st-owners': owners,
  '20261126T193000Z-hu-message-files': messageFiles,
  '20261126T193000Z-pg-policy-changes': policyChanges,
  '20261126T201000Z-sign-in-changes': signInChanges,
  '20261126T210500Z-tp-trigger-pauses': triggerPauses,
  '20261127T000500Z-bk-carried-out': carriedOut,
  '20261127T011000Z-us-usage': usage,
  '20261127T012500Z-po-pending-of-owner': pendingOfOwner,
  '20261127T040500Z-do-account-ids': accountIds,
  '20261127T042000Z-do-other-ids': otherIds,
  '20261127T043500Z-do-membership-ids': membershipIds,
  '20261127T073000Z-fi-more-changes': moreChanges,
  '20261127T214500Z-wh-gone-endpoints': goneEndpoints,
  '20261128T010000Z-at-delivery-seals': deliverySeals,
  '20261128T010000Z-sc-schedule-watch': scheduleWatch,
  '20261130T040000Z-co-fewer-index-entries': fewerIndexEntries,
  '20261130T120000Z-co-actors-with-id': actorsWithId,
  '20261130T123000Z-co-fewer-trigger-calls': fewerTriggerCalls,
  '20261130T203000Z-hk-hook-uses': hookUses,
  '20261201T000000Z-si-flow-seals': flowSeals,
  '20261201T163000Z-gw-requests-without-run': requestsWithoutRun,
}
