import { buildPackage } from './packages/packages.ts'

/** `build-package.ts NAME`: what `npm pack --workspace @countersign/NAME` runs first. */
await buildPackage(process.argv[2] ?? '')
