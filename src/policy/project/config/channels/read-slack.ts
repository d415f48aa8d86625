import type { SlackSettings } from '../../../settings.ts'
import {
  readEntries,
  readFields,
  scalarOf,
  valueTextAt,
  fieldSource,
  wrong,
  type YamlField,
} from '../../../reading/yaml-field.ts'
import { didYouMean } from '../../../reading/did-you-mean.ts'
import { keysOf } from '../../../schema/parts.ts'
import { slack, slackChannel, slackTeam } from '../../../schema/slack.ts'
import { readVariable } from './read-variable.ts'

/**
 * Reads `slack`: the workspace, where its secrets are, and the channel of each queue. `null` after
 * reporting.
 */
export function readSlack(field: YamlField, queues: ReadonlySet<string>): SlackSettings | null {
  const fields = readFields(field, keysOf(slack))
  if (fields === null) return null
  const team = fields.readNeeded('team', 'write the id of the workspace, `team: T…`', readTeamId)
  const tokenFrom = fields.readNeeded(
    'tokenFrom',
    "name the environment variable that holds the bot's token",
    (at) => readVariable(at, 'SLACK_BOT_TOKEN'),
  )
  const signingSecretFrom = fields.readNeeded(
    'signingSecretFrom',
    "name the environment variable that holds the app's signing secret",
    (at) => readVariable(at, 'SLACK_SIGNING_SECRET'),
  )
  const channelsField = fields.getNeeded('channels', 'write `channels: { QUEUE: "#channel" }`')
  if (channelsField === null || team === null) return null
  if (tokenFrom === null || signingSecretFrom === null) return null
  const channels = readChannels(channelsField, queues)
  return { team, tokenFrom, signingSecretFrom, channels, source: fieldSource(field) }
}

function readTeamId(field: YamlField): string | null {
  const value = scalarOf(field)
  if (typeof value === 'string' && slackTeam.test(value)) return value
  wrong(
    field,
    `is ${valueTextAt(field)}, not the id of a workspace`,
    'write its id, as T0123ABCD: it is in the address of Slack in a browser',
  )
  return null
}

function readChannels(field: YamlField, queues: ReadonlySet<string>): Map<string, string> {
  const channels = new Map<string, string>()
  for (const [queue, value] of readEntries(field)) {
    if (!queues.has(queue)) {
      wrong(
        value,
        `names the queue "${queue}", which is not defined`,
        didYouMean(queue, [...queues]),
      )
      continue
    }
    const channel = scalarOf(value)
    if (typeof channel === 'string' && slackChannel.test(channel)) channels.set(queue, channel)
    else
      wrong(value, `is ${valueTextAt(value)}, not a channel`, 'write "#approvals", or its id, C…')
  }
  return channels
}
