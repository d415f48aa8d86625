import { askAbout, callDigest, settle } from '@countersign/client'
import type { Allowed, Asked, Call, CallRouting, Client, Refusal } from '@countersign/client'
import type { HumanInterrupt } from '@langchain/langgraph/prebuilt'
import type { HITLRequest } from 'langchain'

/** An interrupt as a graph returns it in `__interrupt__`. */
export interface GraphInterrupt {
  readonly id?: string
  readonly value?: unknown
}

/** What is known of the calls for which a graph pauses. */
export interface AnsweredInterrupts {
  /** the requests that wait; once there are none, go on with `resume` */
  readonly waiting: readonly Asked[]
  /** for `new Command({ resume })`; `null` while a request waits */
  readonly resume: Readonly<Record<string, unknown>> | null
  /** the requests whose permits were taken: report what becomes of their calls */
  readonly taken: readonly { readonly requestId: string; readonly name: string }[]
}

/**
 * Asks about every call for which a graph of your own pauses, in the shape of LangChain's
 * human-in-the-loop middleware or of LangGraph's agent inbox. Call it again later, also in another
 * process, with the interrupts of the stored state. Once all calls are decided it takes the permits
 * and writes the answer of each, in order and in the shape of its interrupt: approved, with other
 * arguments where a person changed them, or refused with the words of the person.
 *
 * Rejects with a `TypeError` for an interrupt of another shape, and while the service is away.
 * Nothing is asked then, and nothing runs.
 */
export async function answerInterrupts(
  client: Client,
  interrupts: readonly GraphInterrupt[],
  options: CallRouting = {},
): Promise<AnsweredInterrupts> {
  const pauses = interrupts.map(readPause)
  const actions = pauses.flatMap((pause) => pause.actions)
  const waiting = await askAbout(client, actions, (action) => callOf(action, options))
  if (waiting.length > 0) {
    return { waiting: waiting.map(({ asked }) => asked), resume: null, taken: [] }
  }
  const taken: { requestId: string; name: string }[] = []
  const resume: Record<string, unknown> = {}
  for (const pause of pauses) {
    const answers: object[] = []
    for (const action of pause.actions) {
      const settled = await settle(client, () => callOf(action, options))
      if ('permit' in settled) taken.push({ requestId: settled.requestId, name: action.name })
      answers.push(action.answer(settled))
    }
    resume[pause.id] = pause.isReview ? { decisions: answers } : answers
  }
  return { waiting: [], resume, taken }
}

/** One call for which a graph pauses, and how the graph is answered about it. */
interface Action {
  readonly place: string
  readonly name: string
  readonly args: object
  readonly canApprove: boolean
  readonly canEdit: boolean
  readonly answer: (settled: Allowed<object> | Refusal) => object
}

/** A call as people see it, which has a name of its own for each pause and each input. */
async function callOf(action: Action, options: CallRouting): Promise<Call> {
  const { args: input, canApprove, canEdit, name: tool, place } = action
  if (!canApprove) throw new Error('its graph lets nobody approve this')
  const digest = await callDigest({ tool, input, toolHash: '' })
  const externalId = `langgraph:${place}:${digest.slice(7, 23)}`
  return { ...options, ...(canEdit ? {} : { edits: 'off' }), tool, input, externalId }
}

function readPause({ id, value }: GraphInterrupt) {
  if (id === undefined) throw new TypeError('this interrupt has no id')
  const isReview = isObject(value) && Array.isArray(value['actionRequests'])
  const read = isReview ? reviewed(value as unknown as HITLRequest) : inboxed(value)
  const actions = read.map((action, index): Action => ({ ...action, place: `${id}:${index}` }))
  return { id, isReview, actions }
}

/** Of LangChain's human-in-the-loop middleware. */
function reviewed({ actionRequests, reviewConfigs }: HITLRequest): Omit<Action, 'place'>[] {
  return actionRequests.map(({ args, name }) => {
    const config = reviewConfigs.find(({ actionName }) => actionName === name)
    return {
      name,
      args,
      canApprove: config?.allowedDecisions.includes('approve') === true,
      canEdit: config?.allowedDecisions.includes('edit') === true,
      answer: (settled) => {
        if ('refusal' in settled) return { type: 'reject', message: settled.refusal }
        if (!settled.isChanged) return { type: 'approve' }
        return { type: 'edit', editedAction: { name, args: settled.input } }
      },
    }
  })
}

/** Of a graph that pauses for LangGraph's agent inbox. */
function inboxed(value: unknown): Omit<Action, 'place'>[] {
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const isInbox = items.every((item) => isObject(item) && isObject(item['action_request']))
  if (items.length === 0 || !isInbox)
    throw new TypeError('this interrupt names no call that could be approved')
  return (items as HumanInterrupt[]).map(({ action_request: { action, args }, config }) => ({
    name: action,
    args,
    canApprove: config.allow_accept,
    canEdit: config.allow_edit,
    answer: (settled) => {
      if ('refusal' in settled) {
        if (!config.allow_respond) return { type: 'ignore', args: null }
        return { type: 'response', args: settled.refusal }
      }
      if (!settled.isChanged) return { type: 'accept', args: null }
      return { type: 'edit', args: { action, args: settled.input } }
    },
  }))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
