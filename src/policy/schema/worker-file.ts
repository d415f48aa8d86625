import { z } from 'zod'
import { anyConsent, maybe, name, oneOrMany, text } from './parts.ts'

const count = maybe(z.int().min(1).max(1_000_000_000))
export const limits = z.strictObject({ turns: count, calls: count, tokens: count })

export const zoneApproval = z.strictObject({
  read: maybe(anyConsent),
  write: maybe(anyConsent),
  delete: maybe(anyConsent),
  share: maybe(anyConsent),
  reason: maybe(text),
})
export const zone = z.strictObject({
  name: name.describe('rules and messages use it'),
  root: text.describe(
    'relative to the workspace root; the deepest root that contains a path decides',
  ),
  mode: maybe(z.enum(['ro', 'rw'])).describe('Default: ro'),
  suffixes: maybe(oneOrMany(z.string().regex(/^\.[^/\s]+$/))),
  approval: maybe(zoneApproval),
  reason: maybe(text),
  protected: maybe(oneOrMany(text)).describe(
    'globs of protected names that ask here, at high risk',
  ),
})

export const sandbox = z.strictObject({
  required: maybe(z.boolean()),
  network: maybe(z.enum(['none', 'allow'])),
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

/** Tools are called `mcp__SERVER__TOOL`: where the server's name ends must be plain. */
const serverName = z.string().regex(/^(?!.*__)(?!.*_$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
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

/** The front matter of workers/NAME.md. */
export const workerFileSchema = z.strictObject({
  name: maybe(text).describe('as the file is called'),
  description: maybe(text),
  model: z
    .string()
    .regex(/^(anthropic|openai|google|openai-compatible|script):\S(.*\S)?$/)
    .describe('provider:model, or script:FILE'),
  queue: maybe(text).describe('where its requests go when routing says nothing'),
  limits: maybe(limits),
  startableBy: maybe(oneOrMany(text)).describe('teams; absent: everybody'),
  zones: maybe(z.array(zone)),
  sandbox: maybe(sandbox),
  shell: maybe(shell).describe('gives it exec and shell'),
  tools: maybe(
    z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/), toolSetting.nullable()),
  ),
  workers: maybe(oneOrMany(text)).describe('workers it may call'),
  mcpServers: maybe(z.record(serverName, mcpServer)),
})
