import { quorumTeams } from './quorum.ts'
import type { Quorum } from '../requests/request.ts'
import type { RunNeed } from '../runs/need-of-run.ts'

/**
 * Why a person is behind a request (product.md 17), the first reason being the one that is shown;
 * stored with the request.
 */
export const principalReasons = [
  'started',
  'started_above',
  'owns_key',
  'proposed_key',
  'messaged',
  'answered',
  'forked_from',
  'triggered',
  'invoked',
  'edited',
  'asked',
  'on_behalf',
] as const
export type PrincipalReason = (typeof principalReasons)[number]

const behindSentences: Readonly<Record<PrincipalReason, string>> = {
  started: 'you started this run',
  started_above: 'you started a run above this one',
  owns_key: 'your API key started this run',
  proposed_key: 'you proposed the API key that acted here',
  messaged: 'you posted a message to this run or one above it',
  answered: 'you answered a question of this run or one above it',
  forked_from: 'you stood behind the run that this one was forked from',
  triggered:
    'you triggered the schedule, or invoked or changed the call, that started this run or one above it',
  invoked: 'you invoked this tool',
  edited: 'you edited this call',
  asked: 'your API key opened this request',
  on_behalf: 'you are the person on whose behalf this was requested',
}

/** The reasons as words about another person, after "who". */
const behindOthers: Readonly<Record<PrincipalReason, string>> = {
  started: 'starts the run',
  started_above: 'started a run above it',
  owns_key: 'owns the API key',
  proposed_key: 'proposed the API key',
  messaged: 'wrote to the run or one above it',
  answered: 'answered a question of the run or one above it',
  forked_from: 'stood behind the run that this one was forked from',
  triggered:
    'triggered the schedule, or invoked or changed the call, that started the run or one above it',
  invoked: 'invoked the tool',
  edited: 'edited the call',
  asked: 'owns the API key that opened the request',
  on_behalf: 'is the person on whose behalf this was requested',
}

/** Why somebody is behind a request, after their name and "who". */
export function behindWords(why: PrincipalReason): string {
  return behindOthers[why]
}

export interface EligibilityInput {
  /** what the person wants to do: an outcome check is settled, a question answered */
  readonly need: RunNeed
  /** `null` for a machine, which never decides (product.md 19) */
  readonly person: {
    readonly id: string
    /** other rows of the same human; absent: there are none */
    readonly otherIds?: readonly string[]
    readonly enabled: boolean
    readonly teams: readonly string[]
  } | null
  readonly quorum: Quorum
  readonly principals: readonly { readonly personId: string; readonly why: string }[]
  /** the queue's setting, frozen into the request */
  readonly selfApproval: boolean
}

type Ineligibility = Extract<Eligibility, { canDecide: false }>

export type Eligibility =
  | { readonly canDecide: true; readonly reason: null; readonly selfApproved: boolean }
  | {
      readonly canDecide: false
      readonly which: 'machine' | 'disabled' | 'not_in_team' | 'behind_request'
      /** a sentence for the person: "you can't decide: you started this run" */
      readonly reason: string
    }

/**
 * Whether somebody may decide a request: an enabled person, in a team that the quorum names, and
 * not behind it (product.md 17 to 19). With `selfApproval` the people behind it may too, and their
 * decision is marked.
 */
export function judgeEligibility(input: EligibilityInput): Eligibility {
  const { person, need } = input
  const refuse = (which: Ineligibility['which'], why: string): Ineligibility => ({
    canDecide: false,
    which,
    reason: cannotText(need, why),
  })
  if (person === null) {
    return refuse('machine', `machine identities never ${need}`)
  }
  if (!person.enabled) return refuse('disabled', 'your account is disabled')
  const teams = quorumTeams(input.quorum)
  if (!person.teams.some((team) => teams.includes(team))) {
    const teamNames = teams.length === 0 ? 'a team that may decide this' : teams.join(' or ')
    return refuse('not_in_team', `you are not in ${teamNames}`)
  }
  const behind = input.principals.filter(({ personId }) => isSameHuman(person, personId))
  if (behind.length > 0 && !input.selfApproval) {
    const reasons = behind.map((principal) => principal.why)
    return refuse('behind_request', behindText(reasons))
  }
  return { canDecide: true, reason: null, selfApproved: behind.length > 0 }
}

/** Whether an id is that of a person or of another row of the same human (product.md 17). */
export function isSameHuman(
  person: { readonly id: string; readonly otherIds?: readonly string[] },
  id: string,
): boolean {
  return person.id === id || person.otherIds?.includes(id) === true
}

/** Why a person cannot decide, answer or settle something, as a sentence. Pure. */
export function cannotText(need: RunNeed, why: string): string {
  return `you can't ${need}: ${why}`
}

/** The sentence of the first reason in the order of `principalReasons`. */
function behindText(reasons: readonly string[]): string {
  const weightiest = principalReasons.find((reason) => reasons.includes(reason))
  return weightiest === undefined ? 'you are behind this request' : behindSentences[weightiest]
}
