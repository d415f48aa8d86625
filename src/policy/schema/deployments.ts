import { z } from 'zod'
import { email, maybe, text } from './parts.ts'
import { variableForm } from './starts.ts'

/** `acme/shop`. */
export const repositoryForm = /^[A-Za-z0-9][\w-]{0,38}\/[\w.-]{1,100}$/

/** An id of an account at GitHub, as it is written as a key. */
export const accountIdForm = /^[1-9]\d{0,14}$/

/** The value for an account that belongs to no person of the project, such as that of a bot. */
export const nobody = 'nobody'

const variable = z.string().regex(variableForm)

export const deployments = z.strictObject({
  secret: variable.describe(
    "`${NAME}`: the environment variable with the secret of the GitHub App's webhook",
  ),
  key: variable.describe(
    '`${NAME}`: the environment variable with the API key that asks; its owner cannot approve',
  ),
  appId: maybe(z.int().positive()).describe(
    'the id of the GitHub App that answers, with `privateKey`. Default: `token` answers',
  ),
  privateKey: maybe(variable).describe(
    '`${NAME}`: the environment variable with the private key of the GitHub App (PEM). Default: `token` answers',
  ),
  token: maybe(variable).describe(
    '`${NAME}`: the environment variable with an installation token. Default: `appId` and `privateKey` get one',
  ),
  repositories: z
    .record(z.string().regex(repositoryForm), z.int().positive())
    .describe(
      'the repositories whose deployments may ask: OWNER/NAME to the id of the repository at GitHub',
    ),
  people: z
    .record(z.string().regex(accountIdForm), z.union([email, z.literal(nobody)]))
    .describe('who is who: id of the account at GitHub to address, or `nobody` for a bot'),
  queue: maybe(text).describe(
    'where deployments ask that routing gives no queue. Default: the default queue',
  ),
  apiUrl: maybe(z.url()).describe(
    'the address of the API of a GitHub Enterprise Server. Default: https://api.github.com',
  ),
})
