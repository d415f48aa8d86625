/** Postgres' advisory locks of this service: each has one purpose and a number of its own. */
export const advisoryLocks = {
  /** one activation of a policy version at a time */
  activation: 4_400_001,
  /** the one writer of the stream's sequence among all API processes */
  eventSequencer: 7_301_001,
  /** one reconciler's round at a time */
  reconciler: 7_301_002,
  /**
   * the one writer of the audit log: spares the others the race for a leaf, which they would lose
   */
  auditSequencer: 7_301_003,
  /** the one that turns events into deliveries to webhooks */
  webhooks: 7_301_004,
  /** one process at a time notes that a key rotated */
  keys: 7_301_010,
  /** one that removes what need not be kept */
  retention: 7_301_005,
  /** one that gives the application's role its rights */
  grants: 7_301_011,
} as const
