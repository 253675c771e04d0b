/** What is injected by name. */
export const CONFIG = Symbol('config');
export const LOGGER = Symbol('logger');
export const SERVED = Symbol('served');
