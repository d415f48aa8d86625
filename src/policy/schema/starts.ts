import { z } from 'zod'
import { email, maybe, text } from './parts.ts'

/** `${NAME}`: an environment variable. */
export const variableForm = /^\$\{([A-Z][A-Z0-9_]{0,99})\}$/

export const trigger = z.strictObject({
  worker: text.describe('whose runs it starts'),
  as: maybe(email).describe('who starts them and stands behind them. Default: nobody'),
  secret: z
    .string()
    .regex(variableForm)
    .describe(
      '`${NAME}`: the environment variable that holds its secret, whsec_… (Standard Webhooks)',
    ),
})
