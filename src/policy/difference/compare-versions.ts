import type { ChangeKind } from '#domain/policy/change-kind.ts'
import type { Policy, ProjectFiles } from '../policy.ts'
import { settingsOf, wordsOfSettings } from './settings-of.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { maskSecrets } from '#domain/text/mask-secrets.ts'

/** One setting that differs; `null`: it is absent. Each added or removed item of a list is one. */
export interface SettingChange {
  /** `queues.platform.selfApproval` */
  readonly at: string
  readonly before: string | null
  readonly after: string | null
}

export interface ProjectFileChange {
  readonly path: string
  readonly change: ChangeKind
}

/** The changes between two versions. */
export interface VersionDifference {
  readonly files: readonly ProjectFileChange[]
  readonly settings: readonly SettingChange[]
  /**
   * the changes that need a second person (workers-and-policy.md): settings that determine who must
   * agree; empty: none
   */
  readonly secondPerson: readonly SettingChange[]
}

/** Lists in which the first match wins, so that their order has a meaning. */
const ordered = /^(routing|workers\.[^.]+\.shell\.rules)$/

/** The changes from `before` to `after`. `null` before: all is new, nobody else must agree. */
export function compareVersions(before: Policy | null, after: Policy): VersionDifference {
  const files = changedFiles(before?.files ?? { texts: new Map(), toolFiles: [] }, after.files)
  if (before === null) return { files, settings: [], secondPerson: [] }
  const [old, now] = [settingsOf(before), settingsOf(after)]
  const places = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  const say = inWords(new Map([...wordsOfSettings(before), ...wordsOfSettings(after)]))
  const settings = places.flatMap((at) => changesAt(at, old.get(at) ?? [], now.get(at) ?? [], say))
  const isWorker = (at: string): boolean => before.workers.has(at.split('.')[1] ?? '')
  return {
    files,
    settings,
    secondPerson: settings.filter(({ at }) => decidesWho(at, isWorker(at))),
  }
}

/**
 * Whether a setting determines who must agree to a call: teams, quorum (with the queue and the
 * routing that lead to it), `selfApproval`, earlier addresses of one human, rights, who identifies
 * people, who is behind the requests of schedules, triggers and deployments, the secrets that prove
 * who begins these, and who attests the trail. A new worker has no queue that it could leave.
 */
function decidesWho(at: string, isKnownWorker: boolean): boolean {
  if (/^(teams|rights|routing|defaults\.queue|signIn|audit)(\.| |$)/.test(at)) return true
  if (/^people\..*\.formerly$/.test(at)) return true
  if (/^(schedules\.[^.]+\.(as|input)|triggers\.[^.]+\.(as|secretFrom))(\.| |$)/.test(at))
    return true
  if (/^deployments\.[^.]+\.(people|keyFrom|secretFrom)(\.| |$)/.test(at)) return true
  if (/^queues\.[^.]+\.(team|selfApproval|signature|escalate)$/.test(at)) return true
  return isKnownWorker && /^workers\.[^.]+\.queue$/.test(at)
}

function changesAt(
  at: string,
  left: readonly string[],
  right: readonly string[],
  say: (text: string) => string,
): SettingChange[] {
  const [one, other] = [left[0], right[0]]
  if (left.length === 1 && right.length === 1 && one !== undefined && other !== undefined) {
    return one === other ? [] : [{ at, before: say(one), after: say(other) }]
  }
  const removals = without(left, right).map((before) => ({ at, before: say(before), after: null }))
  const additions = without(right, left).map((after) => ({ at, before: null, after: say(after) }))
  const changes: SettingChange[] = [...removals, ...additions]
  if (changes.length > 0 || !ordered.test(at)) return changes
  return left.join('\n') === right.join('\n')
    ? []
    : [
        {
          at: `${at} (order)`,
          before: left.map(say).join(' → '),
          after: right.map(say).join(' → '),
        },
      ]
}

/** Gives the words of a setting; its text if another setting has the same words. */
function inWords(words: ReadonlyMap<string, string>): (text: string) => string {
  const texts = Map.groupBy([...words.keys()], (text) => words.get(text) ?? '')
  return (text) => {
    const itsWords = words.get(text) ?? text
    return (texts.get(itsWords)?.length ?? 0) > 1 ? text : itsWords
  }
}

/** The members of a list that another one lacks, with their number. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const rest = new Map<string, number>()
  for (const member of other) rest.set(member, (rest.get(member) ?? 0) + 1)
  return list.filter((member) => {
    const left = rest.get(member) ?? 0
    if (left > 0) rest.set(member, left - 1)
    return left === 0
  })
}

function changedFiles(before: ProjectFiles, after: ProjectFiles): ProjectFileChange[] {
  const [old, now] = [contentsOf(before), contentsOf(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return paths.flatMap((path): ProjectFileChange[] => {
    if (!old.has(path)) return [{ path, change: 'added' }]
    if (!now.has(path)) return [{ path, change: 'removed' }]
    return old.get(path) === now.get(path) ? [] : [{ path, change: 'changed' }]
  })
}

function contentsOf(files: ProjectFiles): Map<string, string> {
  const hashedFiles = [...files.toolFiles, ...(files.serverFiles ?? [])]
  const hashes = hashedFiles.map((file) => [file.path, file.hash] as const)
  return new Map([...hashes, ...files.texts])
}

/** Settings that are passed to other programs: their values are shown as hashes. */
const handedOn = /\.(env|headers)(\.|$)/

/**
 * A change for lists and the trail: secrets, and possible ones, are replaced by length and hash
 * (security.md 20).
 */
export function maskChange(change: SettingChange): SettingChange {
  const mask = (value: string | null): string | null => {
    if (value === null) return null
    return handedOn.test(change.at) ? hashValue('value', value) : maskSecrets(value)
  }
  return { at: change.at, before: mask(change.before), after: mask(change.after) }
}

function hashValue(kind: string, value: string): string {
  const hash = hashBytes(value).slice(0, 'sha256:'.length + 12)
  return `[${kind}, ${value.length} characters, ${hash}…]`
}
