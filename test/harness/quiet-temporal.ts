import { DefaultLogger, Runtime } from '@temporalio/worker'

/**
 * What is imported before the first Temporal worker of a test process, of which one runs several
 * files: the SDK's runtime is installed once, and writes errors alone.
 */
Runtime.install({ logger: new DefaultLogger('ERROR') })
