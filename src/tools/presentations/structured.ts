import { oneLine } from '#domain/text/one-line.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import { errorMessage } from '#domain/error-message.ts'
import { makePresentation } from './make-presentation.ts'
import { textWarnings } from './text-warnings.ts'

/** Arguments or facts as indented JSON; unusual features of them are described after `warnings`. */
export function presentStructured(
  value: Json,
  metadata: JsonObject,
  warnings: readonly string[],
): Presentation {
  const text = JSON.stringify(value, null, 2)
  return makePresentation({
    type: 'structured',
    language: 'json',
    content: `${text}\n`,
    metadata,
    warnings: [...warnings, ...textWarnings(text.split('\n'))],
  })
}

/**
 * The raw arguments with a warning: for a call whose presentation could not be built (product.md
 * 27). `error` is the cause.
 */
export function presentRaw(
  tool: Pick<Tool, 'name' | 'definitionHash'>,
  input: JsonObject,
  error: unknown,
): CallPresentation {
  const why = errorMessage(error)
  return {
    title: titleOfCall(tool.name, input),
    presentation: presentStructured(input, {}, [
      `This presentation could not be built (${why.slice(0, 500)}); the raw arguments are shown.`,
    ]),
    facts: { toolHash: tool.definitionHash, bases: [] },
    content: Buffer.from(canonicalJson(input)),
    contentType: 'text/plain',
    proposes: new Map(),
  }
}

/** One line for a call without a title of its own. */
export function titleOfCall(tool: string, input: JsonObject): string {
  return titleLine(`${tool} ${JSON.stringify(input)}`)
}

/** A title: one line, at most 200 characters, the cut marked. */
export function titleLine(text: string): string {
  return oneLine(text, 200)
}
