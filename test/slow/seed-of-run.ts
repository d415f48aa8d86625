/** The seed of a random test, printed, so that SEED makes a failing run again. */
export function seedOfRun(): number {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
  console.info(`SEED=${seed}`)
  return seed
}
