import { z } from 'zod'
import { maybe, text } from './parts.ts'

export const scriptCall = z.strictObject({
  tool: text,
  input: z.unknown().optional(),
  id: maybe(text),
})
export const scriptTurn = z.strictObject({
  text: maybe(z.string()),
  calls: maybe(z.array(scriptCall)),
})

/** A scripted model's fixed turns. */
export const scriptFileSchema = z.strictObject({ turns: z.array(scriptTurn) })
