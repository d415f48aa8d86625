import { DefaultLogger, Runtime } from '@temporalio/worker'

/**
 * Import this before the first Temporal worker of a test process, which runs several files: the
 * SDK's runtime is installed once, and logs only errors.
 */
Runtime.install({ logger: new DefaultLogger('ERROR') })
