import { textOrEmpty } from '../json/text-or-empty.ts'
import type { Actor } from '../actor.ts'
import type { AuditEventType } from '../audit-event.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { RequestKind } from '../requests/request.ts'
import { reachWords } from './approval-words.ts'
import { countWords } from './quantities/count-words.ts'
import { withCapital } from './readable-name.ts'
import { ruleWords } from './rule-words.ts'

/** The parts of a trail event that its sentence uses. */
export interface EventFields {
  readonly type: AuditEventType
  readonly actor: { readonly type: Actor['type']; readonly name?: string | undefined }
  readonly runId?: string | undefined
  readonly requestId?: string | undefined
  readonly callId?: string | undefined
  readonly detail: JsonObject
}

/** The subjects of a page's events. */
export interface AuditSubjects {
  /** `effect`: the request in one line, as `requestHeadline` gives it */
  readonly requests: readonly {
    readonly id: string
    readonly number: number
    readonly kind: RequestKind
    readonly effect: string
  }[]
  readonly runs: readonly {
    readonly id: string
    readonly number: number
    readonly worker: string
  }[]
  readonly calls: readonly { readonly id: string; readonly tool: string }[]
  /** people's texts by their hash in the event; erased ones are absent */
  readonly words: readonly { readonly hash: string; readonly text: string }[]
}

export const noSubjects: AuditSubjects = { requests: [], runs: [], calls: [], words: [] }

/** The subject of one event, as far as the reader may see it. */
interface EventSubject {
  readonly request: AuditSubjects['requests'][number] | undefined
  readonly run: AuditSubjects['runs'][number] | undefined
  /** name of the call's tool */
  readonly tool: string | undefined
}

/** A piece of a sentence. `words` are a person's, `subject` is the thing that was acted on. */
export interface SentencePart {
  readonly as: 'plain' | 'who' | 'verb' | 'subject' | 'words'
  readonly text: string
}

type SentenceWriter = (event: EventFields, subject: EventSubject) => readonly SentencePart[]

const verb = (text: string): SentencePart => ({ as: 'verb', text })
const plain = (text: string): SentencePart => ({ as: 'plain', text })

/** "WHO **did** SUBJECT more" */
const did =
  (text: string, more = ''): SentenceWriter =>
  (event, subject) => [whoOf(event), verb(text), subjectOf(subject), ...optional(more)]

/** "SUBJECT **became**": for events without an actor */
const became =
  (text: string, ...keys: readonly string[]): SentenceWriter =>
  ({ detail }, subject) => [firstSubject(subject), verb(text), ...facts(detail, keys)]

/** "WHO **did** fact": for events without a request or run */
const alone =
  (text: string, ...keys: readonly string[]): SentenceWriter =>
  (event) => [whoOf(event), verb(text), ...facts(event.detail, keys)]

const writers: Readonly<Record<AuditEventType, SentenceWriter>> = {
  'run.started': did('started'),
  'run.ended': became('ended', 'state'),
  'run.cancelled': did('cancelled'),
  'run.messaged': did('wrote to'),
  'run.discarded': did('discarded the worktree of'),
  'worktree.removed': did('removed the worktree of'),
  'call.judged': verdictParts,
  'request.opened': openingParts,
  'request.revised': did('changed'),
  'request.claimed': (event, subject) => [
    whoOf(event),
    verb(wordsOf(event.detail['what']) || 'claimed'),
    subjectOf(subject),
  ],
  'request.commented': (event, subject) => [
    whoOf(event),
    verb(
      event.detail['what'] === undefined
        ? 'commented on'
        : `${wordsOf(event.detail['what'])} a comment on`,
    ),
    subjectOf(subject),
  ],
  'request.handed_over': did('handed over'),
  'request.nudged': did('nudged the people who can decide'),
  'request.reminded': became('got a reminder'),
  'request.escalated': became('was escalated', 'addTeams'),
  'request.extended': did('extended'),
  'request.expired': became('expired'),
  'request.cancelled': became('was cancelled', 'cancelReason'),
  'decision.recorded': decisionParts,
  'decision.refused': did('was refused a decision on'),
  'attempt.refused': alone('was refused', 'attempt', 'code'),
  'permit.issued': became('may run once'),
  'permit.consumed': became('used its permit'),
  'permit.refused': became('was refused its permit', 'reason'),
  'permit.revoked': did('revoked the approval of'),
  'execution.started': became('began to run'),
  'execution.finished': became('ran', 'state'),
  'execution.refused': became('was refused when it should run', 'reason'),
  'execution.unknown': became('has an unknown outcome', 'why'),
  'execution.settled': did('settled the outcome of'),
  'grant.given': did('remembered the approval of', 'for later calls'),
  'grant.used': became('ran by a remembered approval'),
  'grant.revoked': did('revoked a remembered approval of'),
  'grant.ended': became('ended, and with it a remembered approval'),
  'policy.activated': alone('activated a version of the policy'),
  'policy.pinned': alone('pinned the tool definitions of a server', 'server'),
  'policy.rejected': alone('rejected a version of the policy', 'why'),
  'policy.proposed': alone('proposed a version of the policy'),
  'policy.withdrawn': alone('withdrew a proposed version', 'why'),
  'policy.change_proposed': alone('proposed to pre-approve', 'worker', 'rule'),
  'policy.change_withdrawn': alone('withdrew a proposed change', 'worker', 'rule'),
  'session.started': alone('signed in', 'method'),
  'session.ended': alone('signed out', 'why'),
  'session.refused': alone('was refused a sign-in', 'method', 'why'),
  'credential.changed': alone('changed a credential', 'change'),
  'key.created': alone('created an API key', 'name'),
  'key.revoked': alone('revoked an API key'),
  'schedule.skipped': skippedParts,
  'schedule.paused': alone('paused a schedule', 'schedule'),
  'schedule.resumed': alone('resumed a schedule', 'schedule'),
  'trigger.paused': alone('paused a trigger', 'trigger'),
  'trigger.resumed': alone('resumed a trigger', 'trigger'),
  'webhook.resent': alone('sent a notification again', 'endpoint'),
  'content.revealed': did('looked at the raw bytes of'),
  'content.erased': did('erased contents of'),
  'audit.exported': readingParts,
  'system.started': alone('started'),
  'system.stopped': alone('stopped'),
  'system.reconciled': alone('repaired what a failure had left', 'found'),
}

/**
 * An event as a sentence: "Grace **denied** #45 Edit docs/pricing.md: wrong price". Join the parts
 * with spaces; texts of people and programs stay marked as such. Pure.
 */
export function eventSentence(
  event: EventFields,
  subjects: AuditSubjects,
): readonly SentencePart[] {
  const { runs, requests, calls } = subjects
  const subject: EventSubject = {
    request: requests.find(({ id }) => id === event.requestId),
    run: runs.find(({ id }) => id === event.runId),
    tool: calls.find(({ id }) => id === event.callId)?.tool,
  }
  const text = writtenIn(event, subjects)
  const words = text === undefined ? [] : [{ as: 'words', text } as const]
  return [...writers[event.type](event, subject), ...words].filter((part) => part.text !== '')
}

/** The members of an event's detail with the hash of a person's text. */
export const wordsKeys: Readonly<Partial<Record<AuditEventType, string>>> = {
  'decision.recorded': 'reason',
  'request.revised': 'reason',
  'request.commented': 'text',
}

function writtenIn({ type, detail }: EventFields, { words }: AuditSubjects): string | undefined {
  const hash = detail[wordsKeys[type] ?? '']
  return words.find((each) => each.hash === hash)?.text
}

const verdicts: Readonly<Record<string, string>> = {
  ask: 'asked people about',
  preApproved: 'allowed',
  blocked: 'blocked',
  error: 'refused as invalid',
}

function verdictParts({ detail }: EventFields, subject: EventSubject): SentencePart[] {
  const rule = textOrEmpty(detail['rule'])
  const tool = textOrEmpty(detail['tool']) || subject.tool || 'a call'
  const of = subject.run === undefined ? [] : [plain(`of ${runName(subject.run)}`)]
  return [
    { as: 'who', text: 'Policy' },
    verb(verdicts[textOrEmpty(detail['verdict'])] ?? 'judged'),
    { as: 'subject', text: tool },
    ...of,
    ...optional(rule === '' ? '' : ruleWords(rule)),
  ]
}

/** Its run asks, or a program; an outcome check is opened by the service. */
function openingParts(event: EventFields, subject: EventSubject): SentencePart[] {
  const { request, run } = subject
  if (request?.kind === 'outcome_check') {
    return [whoOf(event), verb('opened'), subjectOf(subject)]
  }
  const who: SentencePart =
    run === undefined ? whoOf(event) : { as: 'who', text: withCapital(runName(run)) }
  const asks = request?.kind === 'question' ? 'asked' : 'asked for approval of'
  return [who, verb(asks), subjectOf({ ...subject, run: undefined })]
}

const decisionVerbs: Readonly<Partial<Record<RequestKind, string>>> = {
  question: 'answered',
  outcome_check: 'settled',
}

/** A scope of a later version stays as it is. */
const reaches = new Map<string, string>(Object.entries(reachWords))

function decisionParts(event: EventFields, subject: EventSubject): SentencePart[] {
  const { detail } = event
  const decided = detail['decision'] === 'deny' ? 'denied' : 'approved'
  const scope = textOrEmpty(detail['scope'])
  const marks = [
    reaches.get(scope) ?? scope,
    detail['then'] === 'stop' ? 'and stopped the run' : '',
    detail['edited'] === true ? 'with changes of their own' : '',
    detail['selfApproved'] === true ? '(their own request)' : '',
    detail['signature'] === undefined ? '' : 'signed with a passkey',
  ]
  const kind = subject.request?.kind
  return [
    whoOf(event),
    verb((kind === undefined ? undefined : decisionVerbs[kind]) ?? decided),
    subjectOf(subject),
    ...optional(marks.filter((mark) => mark !== '').join(', ')),
  ]
}

/** Times that were missed together are one event. */
function skippedParts(event: EventFields): SentencePart[] {
  const { count } = event.detail
  const times = typeof count === 'number' ? `at ${countWords(count, 'time')}` : ''
  return [
    whoOf(event),
    verb('started no run'),
    ...optional(times),
    ...facts(event.detail, ['schedule', 'why']),
  ]
}

function readingParts(event: EventFields): SentencePart[] {
  const format = textOrEmpty(event.detail['format'])
  return [
    whoOf(event),
    verb(format === 'page' ? 'read the trail' : `exported the trail (${format})`),
  ]
}

const actorNames: Readonly<Record<Actor['type'], string>> = {
  person: 'Somebody',
  machine: 'A program',
  policy: 'Policy',
  timer: 'A timer',
  system: 'The service',
}

function whoOf({ actor }: EventFields): SentencePart {
  const isNamed = actor.type === 'person' || actor.type === 'machine'
  const text = isNamed ? (actor.name ?? actorNames[actor.type]) : actorNames[actor.type]
  return { as: 'who', text }
}

function subjectOf({ request, run, tool }: EventSubject): SentencePart {
  if (request !== undefined) return subject(`#${request.number} ${request.effect}`)
  if (tool !== undefined && run !== undefined) return subject(`${tool} of ${runName(run)}`)
  if (run !== undefined) return subject(runName(run))
  return subject(tool ?? 'a request')
}

/** The subject at the start of a sentence; the name of a tool stays as it is. */
function firstSubject(of: EventSubject): SentencePart {
  const { text } = subjectOf(of)
  return subject(of.tool === undefined ? withCapital(text) : text)
}

function subject(text: string): SentencePart {
  return { as: 'subject', text }
}

function runName({ number, worker }: AuditSubjects['runs'][number]): string {
  return `run ${number} of ${worker}`
}

function optional(text: string): SentencePart[] {
  return text === '' ? [] : [plain(text)]
}

/** The present facts of a detail in words: "(succeeded)", "(oidc, unknown person)". */
function facts(detail: JsonObject, keys: readonly string[]): SentencePart[] {
  const texts = keys.map((key) => wordsOf(detail[key])).filter((text) => text !== '')
  return optional(texts.length === 0 ? '' : `(${texts.join(', ')})`)
}

/** A code as words: "no_such_person" is "no such person". */
function wordsOf(value: Json | undefined): string {
  if (typeof value === 'string') return value.replaceAll('_', ' ')
  return Array.isArray(value) ? value.map(wordsOf).join(', ') : ''
}
