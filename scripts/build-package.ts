import { buildPackage } from './packages/packages.ts'

/** `build-package.ts NAME`: runs before `npm pack --workspace @countersign/NAME`. */
await buildPackage(process.argv[2] ?? '')
