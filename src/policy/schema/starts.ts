import { z } from 'zod'
import { catchups } from '#domain/runs/schedule.ts'
import { email, maybe, text } from './parts.ts'

/** `${NAME}`: an environment variable. */
export const variableForm = /^\$\{([A-Z][A-Z0-9_]{0,99})\}$/

const conversation = maybe(z.boolean()).describe(
  '`true`: its runs rest after their answer. Default: false, whatever the worker says',
)

export const trigger = z.strictObject({
  worker: text.describe('whose runs it starts'),
  as: maybe(email).describe('who starts them and stands behind them. Default: nobody'),
  conversation,
  secret: z
    .string()
    .regex(variableForm)
    .describe(
      '`${NAME}`: the environment variable that holds its secret, whsec_… (Standard Webhooks)',
    ),
})

export const schedule = z.strictObject({
  worker: text.describe('whose runs it starts'),
  input: z
    .union([text, z.looseObject({})])
    .describe("what each run is started with: text, or what the worker's `input` takes"),
  cron: text.describe('minute, hour, day of month, month, day of week'),
  timezone: maybe(text).describe('an IANA name, such as Europe/Berlin. Default: UTC'),
  as: email.describe('who starts its runs and stands behind them'),
  catchup: maybe(z.enum(catchups)).describe(
    'missed times: `none` are made up for, or `one`, the last. Default: none',
  ),
  conversation,
})

export const budget = z.strictObject({
  worker: text.describe('a worker, or `*`: all of them together'),
  period: z.literal('month').describe('a calendar month, UTC'),
  costUsd: z.number().positive().max(100_000_000),
})
