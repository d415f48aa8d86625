import type { Risk } from './verdict.ts'

/** Reasons to look closely at a request (product.md 38). */
export const cueIds = [
  'deletes_untracked',
  'downloads_and_runs',
  'opens_network',
  'protection_off',
  'linked_program',
  'touches_sign_in',
  'touches_ci',
  'touches_migrations',
  'touches_dependencies',
  'money',
  'production',
  'secret_added',
  'network_missing',
  'first_use',
  'outsider_text',
  'not_examined',
] as const
export type CueId = (typeof cueIds)[number]

/** In ascending order. */
export const cueLevels = ['notice', 'warning'] as const
export type CueLevel = (typeof cueLevels)[number]

const warnings: ReadonlySet<CueId> = new Set([
  'deletes_untracked',
  'downloads_and_runs',
  'protection_off',
  'secret_added',
  'outsider_text',
  'not_examined',
])

export function cueLevel(id: CueId): CueLevel {
  return warnings.has(id) ? 'warning' : 'notice'
}

/**
 * A computed reason to look closely. `line` counts from 1 in the presentation's content, or in
 * `file` if that is present; `text` has words of the call, which are never markup.
 */
export interface Cue {
  readonly id: CueId
  readonly level: CueLevel
  readonly text: string
  readonly line?: number
  readonly file?: string
  /** of `opens_network`: the command connects to other machines, and opens nothing */
  readonly onlyReaches?: true
}

/** A cue before the presentation is built: the text of its line, or its place in the command. */
export interface CueSource {
  readonly id: CueId
  readonly text: string
  /** of a command: the line of its script, or the word of its vector, from 1 */
  readonly line?: number
  /** the text of the line that causes it, whole or its first characters */
  readonly says?: string
  /** canonical path of the file, when no line of the presentation causes it */
  readonly file?: string
  /** as in `Cue` */
  readonly onlyReaches?: true
}

/** A stored cue: without its level, which its kind determines, and without a usual text. */
export type StoredCue = Omit<Cue, 'level' | 'text'> & { readonly text?: string }

/** Texts of cues that are the same for every call. */
export const usualCueTexts: Partial<Record<CueId, string>> = {
  first_use: 'The first time that this worker uses the tool',
  not_examined:
    'Too large or too deeply nested to be examined as a whole: nothing was looked for in a part of it',
}

/** The cue of a call whose rest was not searched for cues, so that their absence says nothing. */
export const notExamined: CueSource = {
  id: 'not_examined',
  text: usualCueTexts.not_examined ?? '',
}

/** Texts of cues for mail and chat, which must not contain words of the call. */
export const cueNotices: Readonly<Record<CueId, string>> = {
  deletes_untracked: 'deletes what Git does not have',
  downloads_and_runs: 'downloads something and runs it',
  opens_network: 'opens the network',
  protection_off: 'switches a protection off',
  linked_program: 'names a link that leads out of the workspace',
  touches_sign_in: 'touches sign-in',
  touches_ci: 'touches continuous integration',
  touches_migrations: 'touches database migrations',
  touches_dependencies: 'touches dependencies',
  money: 'is about money',
  production: 'is about production',
  secret_added: 'adds a secret',
  network_missing: 'needs a network that it does not have',
  first_use: 'the first use of this tool by the worker',
  outsider_text: 'follows a text by an outsider',
  not_examined: 'is too large to be examined as a whole',
}

/** Labels of cues in a row of a list, which has no room for a sentence. */
export const cueLabels: Readonly<Record<CueId, string>> = {
  deletes_untracked: 'Deletes for good',
  downloads_and_runs: 'Runs a download',
  opens_network: 'Network',
  protection_off: 'Protection off',
  linked_program: 'Leads out by a link',
  touches_sign_in: 'Sign-in',
  touches_ci: 'CI',
  touches_migrations: 'Migrations',
  touches_dependencies: 'Dependencies',
  money: 'Money',
  production: 'Production',
  secret_added: 'Adds a secret',
  network_missing: 'No network',
  first_use: 'First use',
  outsider_text: 'Outsider’s text',
  not_examined: 'Not all examined',
}

/** A cue as it was stored, by an earlier version without `onlyReaches`. */
export function readStoredCue({ id, text, ...place }: StoredCue): Cue {
  const isReach = id === 'opens_network' && text?.startsWith('Reaches the network') === true
  const reach = isReach ? ({ onlyReaches: true } as const) : {}
  return { id, level: cueLevel(id), text: text ?? usualCueTexts[id] ?? id, ...reach, ...place }
}

type CueOfLine = Pick<Cue, 'id'> & {
  readonly [Name in 'line' | 'onlyReaches']?: Cue[Name] | undefined
}

/**
 * The cues that people are shown. Where a line needs a network that the sandbox does not have, the
 * cue that it reaches the network is left out. Cues that it opens this machine or a connection
 * stay. Policy judges by all cues.
 */
export function displayedCues<One extends CueOfLine>(cues: readonly One[]): One[] {
  const offline = cues.filter(({ id }) => id === 'network_missing')
  return cues.filter(
    ({ line, onlyReaches }) => onlyReaches !== true || !offline.some((one) => one.line === line),
  )
}

export const cueLimits = {
  /** cues of one request, and those of one kind */
  perRequest: 24,
  perId: 3,
  /** characters of a cue's text, and of the line that is searched for */
  text: 200,
  says: 400,
} as const

/** The least risk of a command with these cues; `low` without any (product.md 38). */
export function riskOfCues(cues: readonly { readonly id: CueId }[]): Risk {
  if (cues.some(({ id }) => cueLevel(id) === 'warning')) return 'high'
  return cues.length > 0 ? 'medium' : 'low'
}
