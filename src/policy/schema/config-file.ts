import { z } from 'zod'
import { endpointProviders } from '#domain/model-provider.ts'
import { cueIds } from '#domain/policy/cues.ts'
import { editsPolicies, scopes } from '#domain/policy/verdict.ts'
import { builtInToolNames } from '#domain/tools/built-in-tools.ts'
import { isolations } from '#domain/tools/workspace-name.ts'
import { streamEvents, usualEvents } from '#domain/channels/stream-event.ts'
import { rightNames } from '../project-config.ts'
import { email as mail } from './email.ts'
import { mcpServer, sandbox, serverName, zone } from './worker-file.ts'
import { signIn } from './sign-in.ts'
import { slack } from './slack.ts'
import { deployments } from './deployments.ts'
import { budget, schedule, trigger } from './starts.ts'
import { consent, duration, email, maybe, name, oneOrMany, risk, text } from './parts.ts'

export const person = z.strictObject({
  email,
  name: maybe(text),
  formerly: maybe(oneOrMany(email)).describe(
    'earlier addresses of the same human, who is then [one person](signing-in.md#a-new-address) where it matters who decides',
  ),
})
export const team = z.strictObject({ members: maybe(z.array(email)).describe('addresses') })

export const escalation = z.strictObject({ after: duration, addTeams: oneOrMany(text) })
export const queue = z.strictObject({
  team: text.describe('whose inbox it is'),
  selfApproval: maybe(z.boolean()).describe(
    'people behind a request may decide it; every such decision is marked. Default: `false`',
  ),
  edits: maybe(z.enum(editsPolicies)).describe(
    'may a call be changed: `revise` (whoever changed it does not decide it), `approve` (they may, and their vote is marked; never at high risk or for commands), `off`. Default: `revise`',
  ),
  signature: maybe(z.enum(['optional', 'required'])).describe(
    '`required`: approvals of high risk are [signed with a passkey](passkeys.md#signing-decisions). Default: `optional`',
  ),
  permitFor: maybe(duration).describe(
    'how long an approved call may take to start. Default: `30d`',
  ),
  expiresAfter: maybe(duration).describe('how long a request waits. Default: `72h`'),
  remindAfter: maybe(oneOrMany(duration)).describe(
    'after how long approvers are reminded of a request: one duration or a list. Default: never',
  ),
  escalate: maybe(z.array(escalation)).describe(
    "`{ after: 24h, addTeams: [security] }`, any number: whose members may then [stand in](approvals.md#who-decides-and-when) for the queue's team. Default: nobody",
  ),
})

export const when = z
  .strictObject({
    tool: maybe(oneOrMany(text)).describe(
      `names or globs of tools; built in are ${builtInToolNames.join(', ')}`,
    ),
    path: maybe(oneOrMany(text)).describe('globs, relative to the workspace root'),
    worker: maybe(oneOrMany(text)),
    queue: maybe(oneOrMany(text)),
    command: maybe(oneOrMany(text)).describe('shell patterns, like "git push"'),
    risk: maybe(oneOrMany(risk)),
    cue: maybe(oneOrMany(z.enum(cueIds))).describe(
      'what deserves attention in a call, like money or production; raises risk, never lowers it',
    ),
  })
  .describe('all that are given must match; {} is every call')

/** Cues cannot be conditions of a block, which would not apply to a computed command. */
export const overlayWhen = when
  .omit({ cue: true })
  .describe('all that are given must match; {} is every call')

export const place = z.strictObject({ team: text, count: maybe(z.int().min(1).max(20)) })
export const quorum = z
  .strictObject({
    count: maybe(z.int().min(1).max(20)).describe("people of the queue's team"),
    allOf: maybe(z.array(place).min(1)),
    anyOf: maybe(z.array(place).min(1)),
  })
  .describe('exactly one of count, allOf and anyOf; distinct people fill distinct places')

export const routingEntry = z.strictObject({
  when,
  queue: maybe(text).describe("absent: the worker's queue, else the default one"),
  risk: maybe(risk),
  quorum: maybe(quorum),
  scopes: maybe(oneOrMany(z.enum(scopes))),
})
export const overlay = z.strictObject({
  when: overlayWhen,
  approval: consent(['ask', 'blocked']).describe('overlays may only tighten'),
  reason: maybe(text),
})

export const defaults = z.strictObject({
  queue: maybe(text).describe('where calls go that nothing routes'),
})
export const workspace = z.strictObject({
  root: maybe(text).describe('where zones live, relative to the project folder. Default: `.`'),
  taskQueue: maybe(text).describe('the Temporal task queue of its host, when that is another one'),
  isolation: maybe(z.enum(isolations)).describe(
    '`worktree`: each root run works in a [Git worktree](workspaces.md#a-worktree-for-each-run) of its own, on a branch of its own. Default: `none`',
  ),
  base: maybe(text).describe(
    'with `isolation: worktree`: the branch that runs begin at and `merge_branch` merges into. Default: the branch that is checked out when a run starts',
  ),
  copy: maybe(oneOrMany(text)).describe(
    'with `isolation: worktree`: what no commit has and [each worktree begins with](workspaces.md#dependencies-that-no-commit-has), such as `node_modules`; relative to `root`. Default: nothing',
  ),
})

const holders = maybe(oneOrMany(text)).describe('teams and e-mail addresses')
export const rights = z.strictObject(
  Object.fromEntries(rightNames.map((right) => [right, holders])),
)

export const webhookEndpoint = z.strictObject({
  url: text.describe('https://…; http only to this machine, and only in the development profile'),
  secretFrom: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/)
    .describe('the environment variable that holds its secret, whsec_… (Standard Webhooks)'),
  events: maybe(oneOrMany(z.enum(streamEvents))).describe(`Default: ${usualEvents.join(', ')}`),
  queues: maybe(oneOrMany(text)).describe('only of requests in these queues. Default: all'),
})
export const webhooks = z.strictObject({
  allow: maybe(oneOrMany(text)).describe('private addresses and ranges that may be called'),
  endpoints: maybe(z.record(name, webhookEndpoint)),
})

export const witness = z.strictObject({
  name,
  url: text.describe(
    'where POST …/add-checkpoint is answered: https://…, under the rules of webhooks',
  ),
  vkey: text.describe('its public key, as "audit witness" prints it: name+hash+base64'),
})
export const audit = z.strictObject({
  witnesses: maybe(z.array(witness).max(10)).describe(
    'who cosigns the [audit log](witnesses.md) elsewhere: `name`, `url`, `vkey`. Default: nobody',
  ),
})

export const retention = z.strictObject({
  transcripts: maybe(duration).describe(
    'how long after the end of a run its messages and results are kept; what is evidence stays',
  ),
  records: maybe(duration).describe(
    'how long deliveries, the live stream, sessions and idempotency keys are kept once they are over; without it, delivered notifications for 30 days',
  ),
})

export const commit = z.strictObject({ name: text, email })

/** The most seconds that a call through `/mcp` waits for a decision. */
export const maxHoldSeconds = 600

export const gatewayServer = mcpServer.extend({
  queue: maybe(text).describe('where its requests go when routing says nothing'),
  holdSeconds: maybe(z.int().min(0).max(maxHoldSeconds)).describe(
    'how long a call that asks is held before it is answered "pending". Default: 45',
  ),
  zones: maybe(z.array(zone)).describe(
    'what a server on standard input may touch, as in a worker file. Default: the workspace, `rw`',
  ),
  sandbox: maybe(sandbox).describe('as in a worker file'),
})

const usd = z.number().min(0).max(1_000_000)
export const price = z.strictObject({ input: usd, cachedInput: maybe(usd), output: usd })
/** The range of tokens for the context of a model. */
export const contextTokens = { min: 256, max: 100_000_000 } as const
const context = z.int().min(contextTokens.min).max(contextTokens.max)
export const model = z.strictObject({
  price: maybe(price),
  context: maybe(context),
  provider: maybe(z.enum(endpointProviders)),
  baseUrl: maybe(text),
  apiKey: maybe(z.string().regex(/^\$\{[A-Z][A-Z0-9_]{0,99}\}$/)),
  pictures: maybe(z.boolean()),
})
const modelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/)

/** countersign.yaml. Only `countersign check` checks references between files. */
export const configFileSchema = z.strictObject({
  version: z.literal(1),
  people: maybe(z.array(person)).describe(
    'addresses and names; whoever a team names is a person already. Default: names from addresses',
  ),
  teams: maybe(z.record(name, team)),
  queues: maybe(z.record(name, queue)),
  defaults: maybe(defaults),
  routing: maybe(z.array(routingEntry)).describe(
    "first match wins: `queue`, `risk`, `scopes` (`once`, `run`, `path`, `command`; the last [only where listed](approvals.md)), `quorum`. Default: worker's queue, else the default one",
  ),
  overlays: maybe(z.array(overlay)).describe(
    "the organisation's own rules: `approval: ask` or `blocked`; may only tighten",
  ),
  workspaces: maybe(z.record(name, workspace)),
  models: maybe(z.record(modelName, model)).describe(
    'by the name of a model (`claude-…` or `anthropic:claude-…`): its `price` in USD for a million tokens, `input`, `cachedInput` and `output` ([runs show what they cost](models.md#what-a-run-costs)), and its `context`, how many tokens [it takes](models.md#the-window); or by the name of an [endpoint](models.md#endpoints-by-name): `provider`, `baseUrl`, `apiKey`, `pictures`. Default: no prices; what is known of the model, else 32,768',
  ),
  rights: maybe(rights).describe('teams or addresses, for each right. Default: nobody'),
  signIn: maybe(signIn),
  retention: maybe(retention).describe(
    'how long `transcripts` and `records` are [kept](operations.md#what-is-kept). Default: for ever, but for notifications that were delivered: 30 days',
  ),
  commit: maybe(commit).describe(
    '`name` and `email` of author and committer of [commits that runs make](commands.md#git). Default: the worker for who started the run; Countersign',
  ),
  webhooks: maybe(webhooks).describe(
    'programs that are [notified](notifications.md) of requests. Default: nobody',
  ),
  mcpServers: maybe(z.record(serverName, gatewayServer)).describe(
    '[MCP servers](mcp-gateway.md) that programs use through the service, at `/mcp/NAME`: as in a worker file, with `queue`, `holdSeconds`, `zones` and `sandbox`. Default: none',
  ),
  budgets: maybe(z.array(budget).max(100)).describe(
    '[what models may cost in a month](starting.md#budgets): `worker` (a name or `*`), `period: month`, `costUsd`. Default: no bound',
  ),
  schedules: maybe(z.record(name, schedule)).describe(
    '[when runs start](starting.md#schedules): `worker`, `input`, `cron`, `timezone`, `as`, `catchup`, `conversation`. Default: none',
  ),
  triggers: maybe(z.record(name, trigger)).describe(
    '[what starts runs](starting.md#triggers) at `/v1/triggers/NAME`: `worker`, `secret` (`${NAME}`), `as`, `conversation`. Default: none',
  ),
  deployments: maybe(z.record(name, deployments)).describe(
    '[deployments of GitHub](deployments.md) that ask at `/v1/deployments/NAME`: `secret`, `key`, `appId`, `privateKey`, `token`, `repositories`, `people`, `queue`, `apiUrl`. Default: none',
  ),
  audit: maybe(audit),
  email: maybe(mail).describe(
    'how [mail](mail.md) is sent: people are notified, and may sign in by a link. Default: no mail',
  ),
  slack: maybe(slack).describe(
    'a [workspace](notifications.md#slack) whose channels are notified, and where people may decide. Default: no Slack',
  ),
})
