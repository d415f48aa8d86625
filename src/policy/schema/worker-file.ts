import { z } from 'zod'
import { modelProviders, reasoningEfforts } from '#domain/model-provider.ts'
import { domainForm, maxDomainLength, maxDomains } from '#domain/network/network-access.ts'
import { builtInToolNames, builtInTools, type BuiltInTool } from '#domain/tools/built-in-tools.ts'
import { anyConsent, duration, maybe, name, oneOrMany, text } from './parts.ts'

/** More than any provider takes. */
export const maxTemperature = 2
export const maxOutputTokens = 1_000_000
export const modelSettings = z.strictObject({
  temperature: maybe(z.number().min(0).max(maxTemperature)),
  maxOutputTokens: maybe(z.int().min(1).max(maxOutputTokens)),
  reasoning: maybe(z.enum(reasoningEfforts)),
  cache: maybe(z.boolean()),
})

const count = maybe(z.int().min(1).max(1_000_000_000))
export const limits = z.strictObject({
  turns: count,
  calls: count,
  tokens: count,
  costUsd: maybe(z.number().positive().max(1_000_000)),
})

export const zoneApproval = z.strictObject({
  read: maybe(anyConsent),
  write: maybe(anyConsent),
  delete: maybe(anyConsent),
  share: maybe(anyConsent),
  reason: maybe(text),
})
export const zone = z.strictObject({
  name: name.describe('rules and messages use it'),
  root: text.describe('its folder, relative to the workspace root'),
  mode: maybe(z.enum(['ro', 'rw'])).describe('`ro` or `rw`. Default: `ro`'),
  suffixes: maybe(oneOrMany(z.string().regex(/^\.[^/\s]+$/))).describe(
    'only files whose names end so may be read, written or deleted. Default: all',
  ),
  approval: maybe(zoneApproval).describe(
    '`read`, `write`, `delete`, `share`: `preApproved`, `ask`, `blocked` or `{ blocked: reason }`. Default: `preApproved`, and `ask` for the others',
  ),
  reason: maybe(text),
  protected: maybe(oneOrMany(text)).describe(
    'globs of protected names that may be asked for here, at high risk. Default: none',
  ),
})

export const sandbox = z.strictObject({
  required: maybe(z.boolean()),
  network: maybe(
    z.union([
      z.enum(['none', 'allow']),
      z.array(z.string().regex(domainForm).max(maxDomainLength)).min(1).max(maxDomains),
    ]),
  ).describe(
    'none, allow, or a list of domains: "example.com", "*.example.com", "example.com:8443"',
  ),
})

export const shellRule = z.strictObject({
  pattern: text.describe('words of one command, like "git log"; no wildcards'),
  approval: anyConsent,
  description: maybe(text),
  reason: maybe(text),
  zones: maybe(oneOrMany(text)).describe('every path-like argument lies in one of these'),
  unlessArgs: maybe(oneOrMany(text)).describe('flags that keep the rule from applying'),
})
export const shell = z.strictObject({
  default: maybe(z.enum(['ask', 'blocked'])).describe('what no rule names. Default: blocked'),
  rules: maybe(z.array(shellRule)).describe('first match wins'),
})

export const toolSetting = z.strictObject({
  approval: maybe(anyConsent),
  reason: maybe(text),
  manual: maybe(z.boolean()).describe('only a person may invoke it'),
})

/** Tools are called `mcp__SERVER__TOOL`: the end of the server's name must be unambiguous. */
export const serverName = z.string().regex(/^(?!.*__)(?!.*_$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
const env = maybe(z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), text))
const headers = maybe(z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), text))
export const mcpServer = z.strictObject({
  type: maybe(z.enum(['stdio', 'http'])),
  command: maybe(text),
  args: maybe(z.array(text)),
  env,
  url: maybe(text),
  headers,
  tools: maybe(z.record(z.string(), anyConsent)),
})

/** The built-in tools that a key gives to a worker. */
function toolNamesOf(key: NonNullable<BuiltInTool['givenBy']>): string {
  const names = builtInToolNames.filter((name) => builtInTools[name].givenBy === key)
  return names.map((name) => `\`${name}\``).join(', ')
}

/** The front matter of workers/NAME.md. */
export const workerFileSchema = z.strictObject({
  name: maybe(text).describe('as the file is called'),
  description: maybe(text),
  model: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}:\S(.*\S)?$/)
    .describe(
      `${modelProviders.map((provider) => `\`${provider}:\``).join(', ')} or an [endpoint](models.md#endpoints-by-name) of \`countersign.yaml\`, and a model; or \`script:FILE\``,
    ),
  settings: maybe(modelSettings).describe(
    'how the model is [asked](models.md#settings): `temperature`, `maxOutputTokens`, `reasoning` (`none`, `low`, `medium`, `high`), `cache`. Default: as the provider does it, `cache: true`',
  ),
  queue: maybe(text).describe(
    'where its requests go when routing says nothing. Default: `defaults.queue`',
  ),
  limits: maybe(limits).describe(
    '`turns`, `calls`, `tokens`, and `costUsd` where its model has a [price](models.md#what-a-run-costs); reached, the run waits for a message. Default: 40, 200, 2,000,000, none',
  ),
  conversation: maybe(z.boolean()).describe(
    '`true`: a run that a person starts rests after its answer and [goes on with the next message](conversations.md); `false`: not in the dashboard or a terminal either. Default: as whoever starts it says',
  ),
  restFor: maybe(duration).describe(
    'how long a conversation rests before it ends by itself. Default: `7d`',
  ),
  startApproval: maybe(z.enum(['preApproved', 'ask'])).describe(
    '`ask`: somebody approves [the start of each run](starting.md#approval-of-a-start) before its model is called. Default: `preApproved`',
  ),
  input: maybe(z.looseObject({ type: z.literal('object') })).describe(
    'JSON Schema of what a run is started with: the dashboard makes a form of it, and what does not fit is refused. Patterns are RE2, formats are not checked. Default: any text or object',
  ),
  startableBy: maybe(oneOrMany(text)).describe('teams that may start it. Default: everybody'),
  workspace: maybe(oneOrMany(text)).describe(
    'the [workspace](workspaces.md) that its runs work in, or a list of those to choose from; the first when nobody chooses. Default: `default`',
  ),
  zones: maybe(z.array(zone)).describe(
    `what it may touch, by ${toolNamesOf('zones')}; the deepest root that contains a path decides. Default: none`,
  ),
  sandbox: maybe(sandbox).describe(
    '`required`: without a working sandbox no command, instead of [approved ones without a sandbox](commands.md#without-a-sandbox); `network`: `none`, [a list of domains](network.md), or `allow`, which makes commands high risk. Default: `required: false`, `network: none`',
  ),
  shell: maybe(shell).describe(
    `which [commands](commands.md) ${toolNamesOf('shell')} may run: \`default\` (\`ask\`, \`blocked\`) and \`rules\` ([shell rules](shell-rules.md)). Default: no commands`,
  ),
  tools: maybe(
    z.record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/),
      z.union([toolSetting, anyConsent]).nullable(),
    ),
  ).describe(
    `which [tools](tools.md) of your own it has, and of ${toolNamesOf('tools')}; \`approval\`, \`reason\`, \`manual\` of any, or one word (\`post: preApproved\`). Default: none`,
  ),
  workers: maybe(oneOrMany(text)).describe(
    `the workers it may [call](delegation.md), by ${toolNamesOf('workers')}. Default: none`,
  ),
  mcpServers: maybe(z.record(serverName, mcpServer)).describe(
    "other people's tools: [MCP servers](mcp-servers.md). Default: none",
  ),
})
