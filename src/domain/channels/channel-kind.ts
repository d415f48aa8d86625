/** The ways in which notifications are sent. */
export const channelKinds = ['webhook', 'email', 'slack', 'callback', 'push'] as const
export type ChannelKind = (typeof channelKinds)[number]

/** The kind of an endpoint by its name: `slack:…`, `email:…`; a webhook's own name has no colon. */
export function kindOfEndpoint(name: string): ChannelKind {
  const [prefix, rest] = name.split(':', 2)
  const kind = rest === undefined ? undefined : channelKinds.find((one) => one === prefix)
  return kind ?? 'webhook'
}
