import manifest from '../../package.json' with { type: 'json' }

/** The version of this service, as package.json has it. */
export const version = manifest.version
