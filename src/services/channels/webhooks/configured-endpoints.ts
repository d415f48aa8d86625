import type { ChannelKind } from '#domain/channels/channel-kind.ts'
import { peopleEvents, streamEvents, type StreamEventType } from '#domain/channels/stream-event.ts'
import type { ProjectConfig } from '#policy/project-config.ts'
import type { EmailSettings, SlackSettings } from '#policy/settings.ts'

/** An endpoint of the policy in force. */
export interface ConfiguredEndpoint {
  /** of a webhook its own name; of others the kind, a colon and a name */
  readonly name: string
  readonly kind: ChannelKind
  /** scheme and host; the path and query may be secret and are left out */
  readonly origin: string
  readonly events: readonly StreamEventType[]
  /** only requests of these queues; `null`: all requests, and runs */
  readonly queues: readonly string[] | null
}

/** Every endpoint of the configuration, whatever its kind. */
export function configuredEndpoints(config: ProjectConfig): readonly ConfiguredEndpoint[] {
  const webhooks = [...config.webhooks.endpoints.values()].map(
    ({ name, url, events, queues }): ConfiguredEndpoint => ({
      name,
      kind: 'webhook',
      origin: new URL(url).origin,
      events,
      queues,
    }),
  )
  return [
    ...webhooks,
    ...(config.slack === null ? [] : [slackEndpointOf(config.slack)]),
    ...(config.email === null ? [] : [emailEndpointOf(config.email)]),
  ]
}

/** The workspace as one endpoint: the message of a request is updated with its state. */
export function slackEndpointOf({ team, channels }: SlackSettings): ConfiguredEndpoint {
  return {
    name: `slack:${team}`,
    kind: 'slack',
    origin: 'https://slack.com',
    events: streamEvents.filter((type) => type !== 'run.changed'),
    queues: [...channels.keys()],
  }
}

/** The mail server as one endpoint: each person is a recipient of their own. */
export function emailEndpointOf({ smtp }: EmailSettings): ConfiguredEndpoint {
  return {
    name: 'email:people',
    kind: 'email',
    origin: `smtp://${smtp.host}:${smtp.port}`,
    events: peopleEvents,
    queues: null,
  }
}
