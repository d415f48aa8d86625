import { isObject } from '#domain/json/is-object.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import type { Holder } from '../project-config.ts'
import type { Policy } from '../policy.ts'
import { durationText } from '../reading/duration.ts'
import {
  budgetWords,
  escalationWords,
  overlayWords,
  routingWords,
  shellRuleWords,
} from './setting-words.ts'

/**
 * A version's settings by their paths: `queues.platform.selfApproval` → `["false"]`. A list has one
 * entry a member. Two versions are compared by these, so that line numbers and comments do not
 * count.
 */
export type Settings = ReadonlyMap<string, readonly string[]>

/**
 * The words of each setting that is an object, as on the policy page, by its text in `settingsOf`.
 * Two different settings can have the same words, so versions are compared by the texts.
 */
export function wordsOfSettings({ config, workers }: Policy): ReadonlyMap<string, string> {
  const rules = [...workers.values()].flatMap(({ shell }) => shell?.rules ?? [])
  const steps = [...config.queues.values()].flatMap(({ escalate }) => escalate)
  return new Map([
    ...rules.map((rule) => [textOf(rule), shellRuleWords(rule)] as const),
    ...config.routing.map((entry) => [textOf(entry), routingWords(entry)] as const),
    ...config.overlays.map((overlay) => [textOf(overlay), overlayWords(overlay)] as const),
    ...steps.map((step) => [textOf(step), escalationWords(step)] as const),
    ...config.budgets.map((budget) => [textOf(budget), budgetWords(budget)] as const),
  ])
}

/** Fields that are not settings: places in files, and values from which settings are made. */
const silent = new Set([
  'source',
  'queueSource',
  'workersSource',
  'text',
  'digest',
  'name',
  'email',
])

/**
 * Every setting of a version: of countersign.yaml under its own keys, of workers under
 * `workers.NAME`, tool files.
 */
export function settingsOf(policy: Policy): Settings {
  const settings = new Map<string, readonly string[]>()
  const { commit, defaultQueue, defaultQueueSource: _, people, rights, ...config } = policy.config
  if (defaultQueue !== null) settings.set('defaults.queue', [defaultQueue])
  if (commit !== null) settings.set('commit', [`${commit.name} <${commit.email}>`])
  for (const { email, name, formerly } of people) {
    settings.set(`people.${email}`, [name])
    if (formerly !== undefined) settings.set(`people.${email}.formerly`, formerly)
  }
  for (const [right, holders] of Object.entries(rights)) {
    if (holders.length > 0) settings.set(`rights.${right}`, holders.map(holderName))
  }
  flatten(settings, '', config)
  for (const [name, worker] of policy.workers) {
    const { instructions, script, ...rest } = worker
    flatten(settings, `workers.${name}`, rest)
    settings.set(`workers.${name}.instructions`, [instructions])
    if (script !== null) settings.set(`workers.${name}.script`, [script])
  }
  const hashedFiles = [...policy.toolFiles, ...(policy.files.serverFiles ?? [])]
  for (const file of hashedFiles) settings.set(file.path, [file.hash])
  return settings
}

function flatten(settings: Map<string, readonly string[]>, at: string, value: unknown): void {
  const below = (key: string): string => (at === '' ? key : `${at}.${key}`)
  if (value === null || value === undefined) return
  if (value instanceof Map) {
    if (at !== '' && value.size > 0) settings.set(at, [...value.keys()].map(String))
    for (const [key, one] of value) flatten(settings, below(String(key)), one)
  } else if (Array.isArray(value)) {
    const named = value.every(isNamed) && value.length > 0
    settings.set(at, value.map(named ? (one) => (one as NamedValue).name : textOf))
    if (named) for (const one of value) flatten(settings, below(one.name), one)
  } else if (isObject(value) && consentText(value) === null) {
    for (const [key, one] of Object.entries(value)) {
      if (!silent.has(key)) flatten(settings, below(key.replace(/Ms$/, '')), timeText(key, one))
    }
  } else settings.set(at, [textOf(value)])
}

function holderName(holder: Holder): string {
  return 'team' in holder ? holder.team : holder.person
}

interface NamedValue {
  readonly name: string
}

function isNamed(value: unknown): value is NamedValue {
  return isObject(value) && typeof value['name'] === 'string'
}

function textOf(value: unknown): string {
  const setting = bare(value)
  return typeof setting === 'string' ? setting : canonicalJson(setting)
}

/** Without absent values, and with consent as people write it. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  if (!isObject(value)) return value
  const consent = consentText(value)
  if (consent !== null) return consent
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      one === null || silent.has(key)
        ? []
        : [[key.replace(/Ms$/, ''), bare(timeText(key, one))] as const],
    ),
  )
}

/** `ask`, or `blocked: reason`; `null` when it is not consent. */
function consentText(value: Record<string, unknown>): string | null {
  const { approval, reason } = value
  if (typeof approval !== 'string' || 'when' in value) return null
  return typeof reason === 'string' ? `${approval}: ${reason}` : approval
}

/** Milliseconds as they are written. */
function timeText(key: string, value: unknown): unknown {
  if (!key.endsWith('Ms')) return value
  if (Array.isArray(value)) return value.map((one) => timeText(key, one))
  return typeof value === 'number' ? durationText(value) : value
}
