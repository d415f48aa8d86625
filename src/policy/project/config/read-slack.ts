import type { SlackSettings } from '../../settings.ts'
import {
  readEntries,
  readFields,
  scalarOf,
  shownAt,
  spotSource,
  wrong,
  type Spot,
} from '../../reading/spot.ts'
import { didYouMean } from '../../reading/did-you-mean.ts'
import { keysOf } from '../../schema/parts.ts'
import { slack, slackChannel, slackTeam } from '../../schema/slack.ts'
import { readVariable } from './read-variable.ts'

/** Reads `slack`: the workspace, where its secrets are, and the channel of each queue. `null` after reporting. */
export function readSlack(spot: Spot, queues: ReadonlySet<string>): SlackSettings | null {
  const fields = readFields(spot, keysOf(slack))
  if (fields === null) return null
  const [teamSpot, tokenSpot] = [fields.get('team'), fields.get('tokenFrom')]
  const [secretSpot, channelsSpot] = [fields.get('signingSecretFrom'), fields.get('channels')]
  if (teamSpot === null) wrong(spot, 'has no "team"', 'write the id of the workspace, `team: T…`')
  if (tokenSpot === null) {
    wrong(spot, 'has no "tokenFrom"', "name the environment variable that holds the bot's token")
  }
  if (secretSpot === null) {
    wrong(
      spot,
      'has no "signingSecretFrom"',
      "name the environment variable that holds the app's signing secret",
    )
  }
  if (channelsSpot === null) {
    wrong(spot, 'has no "channels"', 'write `channels: { QUEUE: "#channel" }`')
  }
  const team = teamSpot === null ? null : readTeamId(teamSpot)
  const tokenFrom = tokenSpot === null ? null : readVariable(tokenSpot, 'SLACK_BOT_TOKEN')
  const signingSecretFrom =
    secretSpot === null ? null : readVariable(secretSpot, 'SLACK_SIGNING_SECRET')
  if (channelsSpot === null || team === null) return null
  if (tokenFrom === null || signingSecretFrom === null) return null
  const channels = readChannels(channelsSpot, queues)
  return { team, tokenFrom, signingSecretFrom, channels, source: spotSource(spot) }
}

function readTeamId(spot: Spot): string | null {
  const value = scalarOf(spot)
  if (typeof value === 'string' && slackTeam.test(value)) return value
  wrong(
    spot,
    `is ${shownAt(spot)}, not the id of a workspace`,
    'write its id, as T0123ABCD: it is in the address of Slack in a browser',
  )
  return null
}

function readChannels(spot: Spot, queues: ReadonlySet<string>): Map<string, string> {
  const channels = new Map<string, string>()
  for (const [queue, value] of readEntries(spot)) {
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
    else wrong(value, `is ${shownAt(value)}, not a channel`, 'write "#approvals", or its id, C…')
  }
  return channels
}
