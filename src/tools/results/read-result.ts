import { z } from 'zod'
import { usualScopes } from '#domain/policy/verdict.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { presentStructured } from '../presentations/structured.ts'

/** This many characters always fit the bound of one result. */
const maxCharacters = 20_000

const schema = z.strictObject({
  turn: z.int().min(1).describe('Turn of the call, as the line in place of its result says.'),
  call: z
    .int()
    .min(0)
    .describe(
      'Place of the call in its turn, counted from 1; 0: the pictures sent before the turn.',
    ),
  offset: z.int().min(0).default(0).describe('How many characters to skip.'),
  limit: z
    .int()
    .min(1)
    .max(maxCharacters)
    .default(maxCharacters)
    .describe('How many characters at most.'),
})

/**
 * Returns the result of an earlier call of the same conversation after it was left out of the
 * model's window (product.md 31). It repeats the text for the model, and has no other effect.
 */
export const readResult = defineBuiltIn({
  name: 'read_result',
  description:
    'Read again the result of an earlier call of this conversation that is not shown any more. It is the result as it was then. At most 20,000 characters are shown at a time; use offset to go on.',
  schema,
  readOnly: true,
  scopes: usualScopes,
  accesses: () => [],

  async present(input, { toolHash }) {
    return {
      title:
        input.call === 0
          ? `Read the pictures that were sent before turn ${input.turn}`
          : `Read the result of call ${input.call} of turn ${input.turn}`,
      presentation: presentStructured({ ...input }, {}, [
        'The model will be shown what it was given of that call before.',
      ]),
      facts: { toolHash, bases: [] },
      content: Buffer.from(`${JSON.stringify(input)}\n`),
      contentType: 'text/plain',
    }
  },

  async execute({ turn, call, offset, limit }, { earlierResult }) {
    const result = (await earlierResult?.({ turn, call })) ?? null
    if (result === null) {
      const what = call === 0 ? 'no pictures before it' : `no call ${call} with a result`
      throw new ToolProblem(`Turn ${turn} has ${what}.`)
    }
    const { text, tool, pictures } = result
    if (tool === null) {
      const output = { turn, pictures: pictures.length }
      return {
        type: 'output',
        output,
        text: `[sent before turn ${turn}]\n${text}`,
        files: pictures,
      }
    }
    const total = text.length
    if (offset > total) {
      throw new ToolProblem(`The result has ${total} characters: there is none at ${offset}.`)
    }
    const start = isInsidePair(text, offset) ? offset - 1 : offset
    const end = Math.min(total, start + limit)
    const until = isInsidePair(text, end) && end - 1 > start ? end - 1 : end
    const next = until < total ? `; go on with offset ${until}` : '; this is the end'
    const what = `result of ${tool}, call ${call} of turn ${turn}: characters ${start} to ${until} of ${total}${next}`
    const content = text.slice(start, until)
    return {
      type: 'output',
      output: { turn, call, tool, offset: start, shown: content.length, characters: total },
      text: `[${what}]\n${content}`,
      ...(pictures.length > 0 && offset === 0 ? { files: pictures } : {}),
    }
  },
})

/** Whether a place is inside of a surrogate pair. */
function isInsidePair(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xff_ff
}
