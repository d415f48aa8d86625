/** `npm pack` in the checkout would pack its sources, which is no package of the service. */
console.error(
  'This is the checkout. `npm pack --workspace countersign` packs the service, `npm run release -- --out DIR` all packages.',
)
process.exit(1)
