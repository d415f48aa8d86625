/** Postgres' advisory locks of this service: each has one purpose and a number of its own. */
export const advisoryLocks = {
  /** one activation of a policy version at a time */
  activation: 4_400_001,
  /** one unit of work at a time locks the row of another person */
  people: 4_400_002,
  /** the one writer of the stream's sequence among all API processes */
  eventSequencer: 7_301_001,
  /** one reconciler's round at a time */
  reconciler: 7_301_002,
  /** the one writer of the audit log, so that processes do not compete for a leaf */
  auditSequencer: 7_301_003,
  /** the one process that turns events into deliveries */
  webhooks: 7_301_004,
  /** one process at a time stores a key rotation */
  keys: 7_301_010,
  /** one round of retention at a time */
  retention: 7_301_005,
  /** one grant of the application role's rights at a time */
  grants: 7_301_011,
  /** one restore of a backup at a time */
  restore: 7_301_012,
} as const
