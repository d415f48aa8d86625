import { isObject } from '#domain/json/is-object.ts'
import { customTypes } from '#domain/tools/presentation.ts'
import { limits } from '#domain/limits.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { CustomPresentation } from '../define-tool.ts'
import type {
  ConsideredInput,
  CustomPresented,
  CustomResult,
  ModelOutput,
  ToolQuery,
} from '../tool-protocol.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { jsonText, metadataOf } from './present-metadata.ts'
import { modelOutputOf } from './model-output.ts'

/** Answers a query about a tool. Throws what it throws, but not for `present`, `execute`. */
export async function answerQuery(
  tool: LoadedTool,
  query: Exclude<ToolQuery, { do: 'load' }>,
  signal: AbortSignal,
  maxResultBytes: number,
): Promise<unknown> {
  switch (query.do) {
    case 'parse':
      return tool.parse(query.input)
    case 'consider':
      return considerCall(tool, query.input)
    case 'approval':
      return tool.approval(query.input)
    case 'present':
      return presentInput(tool, query.input)
    case 'execute': {
      const context = { signal, idempotencyKey: query.idempotencyKey }
      let value: unknown
      try {
        value = await tool.execute(query.input, context)
      } catch (error) {
        return { type: 'error', problem: boundedErrorMessage(error) } satisfies CustomResult
      }
      const result = resultOf(value, maxResultBytes)
      if (result.type !== 'output' || tool.modelOutput === undefined) return result
      const pending = tool.modelOutput(query.input, value, context)
      return { ...result, modelOutput: await boundedOutput(pending, result.output, maxResultBytes) }
    }
  }
}

async function considerCall(tool: LoadedTool, input: Json): Promise<ConsideredInput> {
  const parsedInput = await tool.parse(input)
  if (!parsedInput.ok) return parsedInput
  try {
    return { ...parsedInput, approval: await tool.approval(parsedInput.input) }
  } catch {
    return parsedInput
  }
}

async function presentInput(tool: LoadedTool, input: JsonObject): Promise<CustomPresented> {
  const problems: string[] = []
  const title = await attempt(() => tool.describe(input), problems, 'describe')
  const presented = await attempt(() => tool.present(input), problems, 'present')
  if (title !== null && typeof title !== 'string') problems.push('describe returned no text.')
  const valid = presented === null || isPresentation(presented)
  if (!valid) problems.push('present returned no presentation: {type, content, language?}.')
  return {
    title: typeof title === 'string' ? title : null,
    presentation: valid && presented !== null ? presentationOf(presented, problems) : null,
    problems,
  }
}

/** The known members of a presentation; others are named, so that nothing is dropped silently. */
function presentationOf(presented: CustomPresentation, problems: string[]): CustomPresentation {
  const { content, language, metadata, type, ...others } = presented
  const unknown = Object.keys(others)
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 100)))
    problems.push(
      `present: ${names.join(', ')} is not a member of a presentation and was left out.`,
    )
  }
  const storedMetadata = metadataOf(metadata, problems)
  return {
    type,
    content,
    metadata: storedMetadata,
    ...(language === undefined ? {} : { language }),
  }
}

async function attempt(
  work: () => Promise<unknown>,
  problems: string[],
  what: string,
): Promise<unknown> {
  try {
    return (await work()) ?? null
  } catch (error) {
    problems.push(`${what} failed: ${boundedErrorMessage(error)}`)
    return null
  }
}

function isPresentation(value: unknown): value is CustomPresentation {
  if (!isObject(value)) return false
  const { type, content, language } = value
  return (
    customTypes.some((customType) => customType === type) &&
    typeof content === 'string' &&
    content.isWellFormed() &&
    Buffer.byteLength(content) <= limits.writeBytes &&
    (language === undefined || typeof language === 'string')
  )
}

/** A tool's result, if JSON can represent it and it can be stored. No result is `null`. */
function resultOf(value: unknown, maxBytes: number): CustomResult {
  if (value === undefined) return { type: 'output', output: null }
  let text: string | undefined
  try {
    text = jsonText(value)
  } catch (error) {
    return {
      type: 'unusable',
      problem: `what it returned is not JSON (${boundedErrorMessage(error)})`,
    }
  }
  if (text === undefined) return { type: 'unusable', problem: 'what it returned is not JSON' }
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { type: 'output', output: JSON.parse(text) as Json }
  return {
    type: 'unusable',
    problem: `what it returned has ${bytes} bytes, more than the ${maxBytes} that can be kept`,
  }
}

/** The output for the model. The effect has happened, so a problem is one more sentence. */
async function boundedOutput(
  pending: Promise<unknown>,
  output: Json,
  maxBytes: number,
): Promise<ModelOutput | { readonly problem: string }> {
  try {
    const modelOutput = modelOutputOf(await pending)
    const bytes =
      Buffer.byteLength(JSON.stringify(modelOutput)) + Buffer.byteLength(JSON.stringify(output))
    if (bytes <= maxBytes) return modelOutput
    const what = `with the result it has ${bytes} bytes, more than the ${maxBytes} that can be kept`
    return { problem: what }
  } catch (error) {
    return { problem: boundedErrorMessage(error) }
  }
}

/** The message of an error, at most 4,000 characters. */
export function boundedErrorMessage(error: unknown): string {
  let message: string
  try {
    message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    message = 'an error that cannot be shown'
  }
  const text = storable(message)
  return text.length <= 4000
    ? text
    : `${text.slice(0, 4000).toWellFormed()}… (${text.length} characters)`
}
