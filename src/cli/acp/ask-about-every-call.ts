import { isObject } from '#domain/json/is-object.ts'
import { wordSet } from '#domain/text/word-set.ts'

type Fields = Readonly<Record<string, unknown>>

/** The requests of an editor after which an agent works with settings of that editor. */
const opening = wordSet('session/new session/load session/resume session/fork')

/**
 * The message of an editor. A message that opens a session also gives Claude Code
 * (`claude-agent-acp`) a rule to ask about every call; without that rule it decides most calls
 * itself. The rule counts in every mode of the session and before rules that allow. Other agents
 * ignore it.
 */
export function askAboutEveryCall(message: Fields): Fields {
  const { method, params } = message
  if (typeof method !== 'string' || !opening.has(method) || !isObject(params)) return message
  const meta = memberOf(params, '_meta')
  const claude = memberOf(meta, 'claudeCode')
  const options = memberOf(claude, 'options')
  // Settings that are the name of a file cannot be extended: the rule replaces them.
  const settings = memberOf(options, 'settings')
  const permissions = memberOf(settings, 'permissions')
  const asking = { ...settings, permissions: { ...permissions, ask: ['*'] } }
  const claudeCode = { ...claude, options: { ...options, settings: asking } }
  return { ...message, params: { ...params, _meta: { ...meta, claudeCode } } }
}

function memberOf(object: Fields, name: string): Fields {
  const member = object[name]
  return isObject(member) ? member : {}
}
