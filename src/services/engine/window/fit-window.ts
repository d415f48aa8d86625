import { pictureAsTextBytes, type WindowStep } from '#domain/runs/window.ts'
import type { ModelMessage, ModelTool, InvalidInput, ModelPicture } from '#models/model.ts'
import type { Json } from '#domain/json/json.ts'
import type { SystemContext } from '../../core/context.ts'
import { placeOfMessage, type SeenPictures } from '../../transcript/seen-pictures.ts'
import type { TranscriptMessage } from '../../transcript/load-transcript.ts'
import { modelMessages } from '../../transcript/model-messages.ts'
import { planWindow, type Compaction } from './plan-window.ts'
import { recordElision } from './record-step.ts'

/** Bytes of a message, a call or a result besides its text. */
const frameBytes = 40

/** The size of one message in a prompt, in bytes of text. */
function messageBytes(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return frameBytes + Buffer.byteLength(message.text) + pictureSize(message.pictures)
    case 'assistant':
      return message.calls.reduce(
        (sum, call) => sum + frameBytes + call.tool.length + inputBytes(call.input),
        frameBytes + Buffer.byteLength(message.text),
      )
    case 'tool':
      return message.results.reduce(
        (sum, { text, pictures }) =>
          sum + frameBytes + Buffer.byteLength(text) + pictureSize(pictures),
        0,
      )
  }
}

/** The size of the instructions and tools in every prompt of a run. */
function fixedBytes(system: string, tools: readonly ModelTool[]): number {
  return tools.reduce(
    (sum, { name, description, jsonSchema }) =>
      sum + name.length + Buffer.byteLength(description) + inputBytes(jsonSchema),
    Buffer.byteLength(system),
  )
}

function pictureSize(pictures: readonly ModelPicture[] | undefined): number {
  return (pictures?.length ?? 0) * pictureAsTextBytes
}

/** Inputs of earlier turns are the same objects at every turn, so they are measured once. */
const measured = new WeakMap<object, number>()

function inputBytes(input: Json | InvalidInput): number {
  if (typeof input !== 'object' || input === null) return Buffer.byteLength(JSON.stringify(input))
  const size = measured.get(input)
  if (size !== undefined) return size
  const bytes = Buffer.byteLength(JSON.stringify(input))
  measured.set(input, bytes)
  return bytes
}

export interface PromptToFit {
  readonly runId: string
  readonly turn: number
  readonly transcript: readonly TranscriptMessage[]
  readonly pictures: SeenPictures
  readonly steps: readonly WindowStep[]
  readonly system: string
  readonly tools: readonly ModelTool[]
  readonly maxPromptBytes: number
  /** the provider refused this prompt as too long, whatever its estimate */
  readonly isTooLong: boolean
  readonly mayCompact: boolean
}

/** A prompt, within its room if possible; or the compaction that must come first. */
export type FittedPrompt =
  | {
      readonly kind: 'fits'
      readonly messages: readonly ModelMessage[]
      readonly promptBytes: number
      /** what the messages leave out */
      readonly steps: readonly WindowStep[]
    }
  | (Compaction & { readonly steps: readonly WindowStep[] })

/** The share of a refused prompt that is tried next. */
const afterRefusal = 0.7

/**
 * The messages of a model step, within what the model takes. Records which results were left out
 * for it. A compaction is left to the caller, since the model has to make it.
 */
export async function fitWindow(ctx: SystemContext, prompt: PromptToFit): Promise<FittedPrompt> {
  const { transcript, pictures, mayCompact } = prompt
  const fixed = fixedBytes(prompt.system, prompt.tools)
  let { steps, maxPromptBytes } = prompt
  for (let isTooLong = prompt.isTooLong; ;) {
    const messages = modelMessages(transcript, pictures, steps)
    const promptBytes = messages.reduce((sum, message) => sum + messageBytes(message), fixed)
    if (isTooLong) maxPromptBytes = Math.min(maxPromptBytes, promptBytes * afterRefusal)
    isTooLong = false
    const seen = steps
    const bytesOf = (message: TranscriptMessage): number =>
      modelMessages(
        [message],
        pictures,
        seen.filter(({ kind }) => kind === 'elision'),
      ).reduce((sum, one) => sum + messageBytes(one), 0)
    const pictureBytesOf = (message: TranscriptMessage): number =>
      (pictures.get(placeOfMessage(message))?.length ?? 0) * pictureAsTextBytes
    const sizes = { promptBytes, bytesOf, pictureBytesOf, maxPromptBytes }
    const state = { transcript, steps, ...sizes, mayCompact }
    const plan = planWindow(state)
    if (plan === null) return { kind: 'fits', messages, promptBytes, steps }
    if (plan.kind === 'compaction') return { ...plan, steps }
    const next = await recordElision(ctx, prompt, plan)
    // Nothing was recorded: another attempt has taken the turn, which `storeTurn` detects.
    if (next.length === steps.length) return { kind: 'fits', messages, promptBytes, steps }
    steps = next
  }
}
