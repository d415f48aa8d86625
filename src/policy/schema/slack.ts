import { z } from 'zod'
import { name, variable } from './parts.ts'

export const slackTeam = /^[TE][A-Z0-9]{2,30}$/
export const slackChannel = /^([CG][A-Z0-9]{2,30}|#[^\s#@<>&,"'.A-Z]{1,80})$/

export const slack = z.strictObject({
  team: z
    .string()
    .regex(slackTeam)
    .describe('id of the workspace, T…: people of others are refused'),
  tokenFrom: variable.describe("the environment variable that holds the bot's token, xoxb-…"),
  signingSecretFrom: variable.describe(
    "the environment variable that holds the app's signing secret",
  ),
  channels: z
    .record(name, z.string().regex(slackChannel))
    .describe('where the requests of a queue are announced: #channel, or its id C…'),
})
