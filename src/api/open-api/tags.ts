import type { Route } from '../route/route.ts'

/** The tags of the document, in order. */
export const tags = [
  { name: 'Requests', description: 'Pending requests, and decisions on them' },
  { name: 'Programs', description: 'Requests of programs that are not runs of this service' },
  { name: 'Runs', description: 'Runs of agents: start, control and read them' },
  {
    name: 'Policy',
    description: 'Policy versions, workers, grants, and the verdict for a hypothetical call',
  },
  { name: 'Audit', description: 'Audit events, the audit log, receipts and evidence bundles' },
  { name: 'Notifications', description: 'Events, mail, Slack and webhooks' },
  { name: 'Access', description: 'Signing in, people, sessions, passkeys and API keys' },
  { name: 'Operation', description: 'Health, metrics, retention and archives' },
] as const

type Tag = (typeof tags)[number]['name']

/** By operation first, then by the beginning of its path. */
const tagOfOperation: Readonly<Record<string, Tag>> = {
  openRequest: 'Programs',
  consumePermit: 'Programs',
  reportOutcome: 'Programs',
  withdrawRequest: 'Programs',
  answerClaudeCodeHook: 'Programs',
  getReceipt: 'Audit',
  getEvidence: 'Audit',
  listGrants: 'Policy',
  getNotifications: 'Notifications',
  setNotifications: 'Notifications',
  listPushSubscriptions: 'Notifications',
  createPushSubscription: 'Notifications',
  deletePushSubscription: 'Notifications',
  testPushSubscription: 'Notifications',
  erasePerson: 'Requests',
}
const tagOfPath: Readonly<Record<string, Tag>> = {
  requests: 'Requests',
  decisions: 'Requests',
  queues: 'Requests',
  insights: 'Requests',
  runs: 'Runs',
  calls: 'Runs',
  policy: 'Policy',
  workers: 'Policy',
  search: 'Operation',
  grants: 'Policy',
  audit: 'Audit',
  events: 'Notifications',
  webhooks: 'Notifications',
  slack: 'Notifications',
  auth: 'Access',
  me: 'Access',
  people: 'Access',
  sessions: 'Access',
  credentials: 'Access',
  keys: 'Access',
  'key-proposals': 'Access',
}

/** The tag of an operation. */
export function tagOf({ name, path }: Pick<Route, 'name' | 'path'>): Tag {
  const [, version, first = ''] = path.split('/')
  return tagOfOperation[name] ?? (version === 'v1' ? tagOfPath[first] : undefined) ?? 'Operation'
}
