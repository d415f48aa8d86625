import { callDigest, orRefusal, type Asked, type Call, type Client } from '@countersign/client'
import { readPause, type Action } from './pause.ts'

/** How the calls of a graph are asked about. */
export type InterruptOptions = Pick<Call, 'onBehalfOf' | 'queue' | 'worker'>

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
  options: InterruptOptions = {},
): Promise<AnsweredInterrupts> {
  const pauses = interrupts.map(({ id, value }) => {
    if (id === undefined) throw new TypeError('this interrupt has no id')
    return { id, ...readPause(value) }
  })
  const waiting: Asked[] = []
  for (const { actions, id } of pauses) {
    for (const [index, action] of actions.entries()) {
      await orRefusal(async () => {
        const asked = await client.ask(await callOf(action, `${id}:${index}`, options))
        if (asked.state === 'pending') waiting.push(asked)
      })
    }
  }
  if (waiting.length > 0) return { waiting, resume: null, taken: [] }
  const taken: { requestId: string; name: string }[] = []
  const resume: Record<string, unknown> = {}
  for (const { actions, id, resume: resumeOf } of pauses) {
    const answers: object[] = []
    for (const [index, action] of actions.entries()) {
      const refusal = await orRefusal(async () => {
        const call = await callOf(action, `${id}:${index}`, options)
        const { input, requestId } = await client.take<object>(call, { wait: 0 })
        const isEdited = !(await isSame(call.input, input))
        if (isEdited && !action.canEdit) {
          await client.report(requestId, { state: 'failed', summary: 'Not run: other input' })
          throw new Error(`approved are other arguments: ${JSON.stringify(input)}`)
        }
        taken.push({ requestId, name: action.name })
        answers.push(isEdited ? action.edit(input) : action.approve())
      })
      if (refusal !== null) answers.push(action.refuse(`Countersign: not run. ${refusal}`))
    }
    resume[id] = resumeOf(answers)
  }
  return { waiting, resume, taken }
}

/** A call as people see it, which has a name of its own for each pause and each input. */
async function callOf(
  { args, canApprove, canEdit, name }: Action,
  place: string,
  options: InterruptOptions,
): Promise<Call> {
  if (!canApprove) throw new Error('its graph lets nobody approve this')
  const digest = await callDigest({ tool: name, input: args, toolHash: '' })
  const edits = canEdit ? {} : ({ edits: 'off' } as const)
  const externalId = `langgraph:${place}:${digest.slice(7, 23)}`
  return { ...options, ...edits, tool: name, input: args, externalId }
}

async function isSame(asked: object, approved: object): Promise<boolean> {
  const [one, other] = await Promise.all(
    [asked, approved].map((input) => callDigest({ tool: '', input, toolHash: '' })),
  )
  return one === other
}
