import { limits } from '../../../domain/limits.ts'
import type { Json, JsonObject } from '../../../domain/json.ts'
import type { CustomPresentation } from '../define-tool.ts'
import type {
  Considered,
  CustomPresented,
  CustomResult,
  ModelOutput,
  ToolQuestion,
} from '../tool-protocol.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { modelOutputOf } from './model-output.ts'

/** Carries out one question about a loaded tool. Throws what the tool throws, but for `present` and `execute`. */
export async function answerQuestion(
  tool: LoadedTool,
  question: Exclude<ToolQuestion, { do: 'load' }>,
  signal: AbortSignal,
  maxResultBytes: number,
): Promise<unknown> {
  switch (question.do) {
    case 'parse':
      return tool.parse(question.input)
    case 'consider':
      return considered(tool, question.input)
    case 'approval':
      return tool.approval(question.input)
    case 'present':
      return presented(tool, question.input)
    case 'execute': {
      const context = { signal, idempotencyKey: question.idempotencyKey }
      let value: unknown
      try {
        value = await tool.execute(question.input, context)
      } catch (error) {
        return { type: 'error', problem: messageOf(error) } satisfies CustomResult
      }
      const result = resultOf(value, maxResultBytes)
      if (result.type !== 'output' || tool.modelOutput === undefined) return result
      const made = tool.modelOutput(question.input, value, context)
      return { ...result, shown: await shownOf(made, result.output, maxResultBytes) }
    }
  }
}

async function considered(tool: LoadedTool, input: Json): Promise<Considered> {
  const parsed = await tool.parse(input)
  if (!parsed.ok) return parsed
  try {
    return { ...parsed, approval: await tool.approval(parsed.input) }
  } catch {
    return parsed
  }
}

async function presented(tool: LoadedTool, input: JsonObject): Promise<CustomPresented> {
  const problems: string[] = []
  const title = await attempt(() => tool.describe(input), problems, 'describe')
  const shown = await attempt(() => tool.present(input), problems, 'present')
  if (title !== null && typeof title !== 'string') problems.push('describe returned no text.')
  const valid = shown === null || isPresentation(shown)
  if (!valid) problems.push('present returned no presentation: {type, content, language?}.')
  return {
    title: typeof title === 'string' ? title : null,
    presentation: valid ? shown : null,
    problems,
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
    problems.push(`${what} failed: ${messageOf(error)}`)
    return null
  }
}

function isPresentation(value: unknown): value is CustomPresentation {
  if (typeof value !== 'object' || value === null) return false
  const { type, content, language } = value as Record<string, unknown>
  return (
    ['text', 'diff', 'file_content', 'structured'].includes(String(type)) &&
    typeof content === 'string' &&
    content.isWellFormed() &&
    Buffer.byteLength(content) <= limits.writeBytes &&
    (language === undefined || typeof language === 'string')
  )
}

/** What a tool returned, if JSON carries it and it can be kept. Returning nothing is `null`. */
function resultOf(value: unknown, maxBytes: number): CustomResult {
  if (value === undefined) return { type: 'output', output: null }
  let text: string | undefined
  try {
    text = JSON.stringify(value, whatJsonLoses)
  } catch (error) {
    return { type: 'unusable', problem: `what it returned is not JSON (${messageOf(error)})` }
  }
  if (text === undefined) return { type: 'unusable', problem: 'what it returned is not JSON' }
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return { type: 'output', output: JSON.parse(text) as Json }
  return {
    type: 'unusable',
    problem: `what it returned has ${bytes} bytes, more than the ${maxBytes} that can be kept`,
  }
}

/** What the tool says the model is to be given. Its effect has happened: whatever is wrong here is a sentence beside it. */
async function shownOf(
  made: Promise<unknown>,
  output: Json,
  maxBytes: number,
): Promise<ModelOutput | { readonly problem: string }> {
  try {
    const shown = modelOutputOf(await made)
    const bytes =
      Buffer.byteLength(JSON.stringify(shown)) + Buffer.byteLength(JSON.stringify(output))
    if (bytes <= maxBytes) return shown
    const what = `with the result it has ${bytes} bytes, more than the ${maxBytes} that can be kept`
    return { problem: what }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** `JSON.stringify` would quietly make `{}` of these, whatever they hold. */
function whatJsonLoses(_key: string, value: unknown): unknown {
  const lost = value instanceof Map || value instanceof Set || value instanceof Error
  if (!lost) return value
  const what =
    value instanceof Error ? `an error, ${messageOf(value)}` : `a ${value.constructor.name}`
  throw new TypeError(`it holds ${what}`)
}

/** What an error says, at most 4,000 characters of it. */
export function messageOf(error: unknown): string {
  let message: string
  try {
    message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    message = 'an error that cannot be shown'
  }
  const whole = message.toWellFormed().replaceAll('\0', '\uFFFD')
  return whole.length <= 4000
    ? whole
    : `${whole.slice(0, 4000).toWellFormed()}… (${whole.length} characters)`
}
