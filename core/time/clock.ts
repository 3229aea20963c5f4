/**
 * The clocks of this module. Whatever waits or measures asks the steady one, which a person or a time server that sets the
 * date doesn't move; dates are for what is stored and shown alone. No other file asks a clock of the runtime.
 */

export interface Clock {
  /** Milliseconds since some moment: it only goes forward, and may stand still while the machine sleeps. */
  steady(): number;
  /** Milliseconds since 1970, as the machine believes. */
  date(): number;
}

let clock: Clock = { steady: () => performance.now(), date: () => Date.now() };

/** Takes another clock in place of the runtime's, for a simulation. */
export function takeClock(other: Clock): void {
  clock = other;
}

export function steadyNow(): number {
  return clock.steady();
}

export function dateNow(): number {
  return clock.date();
}

/** Tells milliseconds since now, sleep of the machine left out. */
export function startTimer(): () => number {
  const began = clock.steady();
  return () => clock.steady() - began;
}

/** Milliseconds between two looks whether the process runs. */
const BEAT = 1_000;

/**
 * Tells milliseconds since now without the time in which the process stood still: stopped, suspended, or busy. It looks by
 * itself each second, and whenever it is told to: a page in the background has its timers once a minute.
 */
export function startAwakeTimer(): { look(): void; elapsed(): number; end(): void } {
  let last = clock.steady();
  let awake = 0;
  const elapsed = () => awake + Math.min(clock.steady() - last, 2 * BEAT);
  const look = () => {
    awake = elapsed();
    last = clock.steady();
  };
  const beat = setInterval(look, BEAT);
  return { look, elapsed, end: () => clearInterval(beat) };
}

/**
 * The same with the machine's sleep, as far as the date shows it. A date that was set forward looks like sleep: whoever asks
 * may only look again at what may have changed meanwhile.
 */
export function startStopwatch(): () => number {
  const [date, steady] = [clock.date(), clock.steady()];
  return () => Math.max(clock.date() - date, clock.steady() - steady);
}
