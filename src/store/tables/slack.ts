import type { GeneratedTimestamp, Timestamp } from './columns.ts'

/** The message of a request in the channel of its queue. */
export interface SlackMessageTable {
  request_id: string
  /** its id, as Slack answered */
  channel: string
  ts: string
  /** hash of what it shows, so that it is written again only when that changed */
  shown: string
}

/** Who a person is in the workspace, as both have confirmed. */
export interface SlackLinkTable {
  id: string
  team: string
  user_id: string
  person_id: string
  created_at: GeneratedTimestamp
}

/** A code that Slack's user was shown, for the person who is signed in here. */
export interface SlackLinkCodeTable {
  code_hash: string
  team: string
  user_id: string
  /** of the user's profile, when the code was made */
  email: string
  expires_at: Timestamp
}

/** Signatures that were heard: the same interaction is not heard twice. */
export interface SlackHeardTable {
  signature: string
  at: GeneratedTimestamp
}
