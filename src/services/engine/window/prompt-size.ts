import { pictureAsTextBytes } from '#domain/runs/window.ts'
import type { Json } from '#domain/json/json.ts'
import type { InvalidInput, ModelMessage, ModelPicture, ModelTool } from '#models/model.ts'

/** Bytes of a message, a call or a result besides its text. */
const frameBytes = 40

/** The size of one message in a prompt, in bytes of text. */
export function messageBytes(message: ModelMessage): number {
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
export function fixedBytes(system: string, tools: readonly ModelTool[]): number {
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
