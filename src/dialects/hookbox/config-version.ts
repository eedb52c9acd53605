/** Of the configuration format. Apart from the schema, which takes a while to load. */
export const CONFIG_VERSION = 1;
