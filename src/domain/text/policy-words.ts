import type { ApprovalWord } from '../policy/verdict.ts'

/** What a rule of policy says about calls, in the words of the matrix. */
export const approvalLabels: Readonly<Record<ApprovalWord, string>> = {
  preApproved: 'without approval',
  ask: 'asks',
  blocked: 'never',
}

/** A shell rule without its verdict. */
export interface CommandRule {
  readonly pattern: readonly string[]
  readonly unlessArgs: readonly string[]
  readonly zones: readonly string[] | null
  readonly description: string | null
}

/**
 * The commands to which a shell rule applies, in words. Pure.
 *
 * @example "Run find, but not with -exec or -delete, only in zone notes (lists files)"
 */
export function commandRuleText({ pattern, unlessArgs, zones, description }: CommandRule): string {
  const bounds = [
    `Run ${pattern.join(' ')}`,
    ...(unlessArgs.length === 0 ? [] : [`but not with ${unlessArgs.join(' or ')}`]),
    ...(zones === null ? [] : [`only in zone ${zones.join(' or ')}`]),
  ]
  return `${bounds.join(', ')}${description === null ? '' : ` (${description})`}`
}

/** The keys of `when` in countersign.yaml, in words. */
export const conditionWords: Readonly<Record<string, string>> = {
  tool: 'calls of',
  path: 'on files like',
  command: 'that run',
  worker: 'by',
  risk: 'at the risk',
  cue: 'with the cue',
  queue: 'in the queue',
}

/** What a routing entry sets; null: it leaves that as it is. */
export interface RouteSettings {
  readonly queue: string | null
  readonly risk: string | null
  /** in words */
  readonly quorum: string | null
  readonly scopes: readonly string[] | null
}

/** What a routing entry sets, in words: "queue security · risk high". Pure. */
export function routeText({ queue, risk, quorum, scopes }: RouteSettings): string {
  const parts = [
    queue === null ? '' : `queue ${queue}`,
    risk === null ? '' : `risk ${risk}`,
    quorum ?? '',
    scopes === null ? '' : `scopes ${scopes.join(', ')}`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}
